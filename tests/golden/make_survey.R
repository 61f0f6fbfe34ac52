# Estimates, standard errors and intervals of surveys by R's package survey (4.1.1, R 4.2.2), written to survey.json.
#
#     Rscript tests/golden/make_survey.R
#
# Each case is a draw: of every answered reply its stratum, its session, how many replies it stands for, how many events
# it holds and how many of them count. Estimates are ratios; the interval is svyciprop's by the method "beta" over the
# replies with an event, sessions as clusters.

suppressMessages(library(survey))
options(survey.lonely.psu = "adjust", digits = 15)
set.seed(40)

list_of <- function(values, form) paste0("[", paste(sprintf(form, values), collapse = ", "), "]")

case <- function(answers, sessions, drawn, replies, share, rate, most = 1) {
  stratum <- rep(seq_along(drawn), drawn)
  session <- sample(sessions, answers, replace = TRUE)
  own <- rbeta(sessions, 4 * rate, 4 * (1 - rate))
  below <- rbinom(answers, most, share[stratum])
  above <- rbinom(answers, below, own[session])
  data <- data.frame(stratum, session, below, above, weight = (replies / drawn)[stratum])
  strata <- svydesign(id = ~session, strata = ~stratum, weights = ~weight, data = data, nest = TRUE)
  whole <- svydesign(id = ~session, weights = ~weight, data = data)
  by_strata <- svyratio(~above, ~below, strata)
  by_sessions <- svyratio(~above, ~below, whole)
  intervals <- "null"
  if (most == 1) {
    held <- subset(whole, below == 1)
    ends <- lapply(c(0.95, 0.975), function(level) attr(svyciprop(~above, held, method = "beta", level = level), "ci"))
    intervals <- paste0("[", paste(sapply(ends, list_of, form = "%.15g"), collapse = ", "), "]")
  }
  sprintf(
    '{"stratum": %s, "session": %s, "weight": %s, "below": %s, "above": %s,\n"estimate": %.15g, "by_strata": %.15g, "by_sessions": %.15g, "intervals": %s}',
    list_of(stratum, "%d"), list_of(session, "%d"), list_of(data$weight, "%.15g"), list_of(below, "%d"),
    list_of(above, "%d"), coef(by_strata), SE(by_strata), SE(by_sessions), intervals
  )
}

cases <- c(
  case(120, 60, c(40, 30, 28, 22), c(900, 500, 200, 80), c(0.1, 0.2, 0.4, 0.6), 0.3),
  case(120, 200, c(40, 30, 28, 22), c(2000, 900, 700, 500), c(0.1, 0.15, 0.3, 0.3), 0.2),
  case(60, 25, c(30, 20, 10), c(250, 60, 20), c(0.3, 0.4, 0.7), 0.5),
  case(200, 40, c(150, 50), c(600, 100), c(0.2, 0.5), 0.1),
  case(80, 12, c(30, 30, 20), c(100, 90, 40), c(0.4, 0.4, 0.8), 0.4),
  case(90, 30, c(40, 30, 20), c(400, 200, 60), c(0.3, 0.5, 0.6), 0.3, most = 3),
  case(41, 15, c(40, 1), c(400, 50), c(0.4, 0.9), 0.4)
)
writeLines(paste0("[\n", paste(cases, collapse = ",\n"), "\n]"), "tests/golden/survey.json")
