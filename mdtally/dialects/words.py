"""The words that transcripts are marked with, in the languages they are written in: data, no logic.

A reader of transcripts knows a few hundred words: what a round is called, what a human is called, which headings never
name a voice. They all stand here, so that a word or a language can be added without reading a line of logic. Words
are compared after case folding; a table names what its words decide.
"""

from __future__ import annotations

from typing import Final

from mdtally.model import RoundNumber


def _words(text: str) -> frozenset[str]:
    """A table of words written as prose, so that adding one is adding one."""
    return frozenset(text.split())


# -- Rounds -----------------------------------------------------------------------------------------------------------

ROUND_WORDS: Final[dict[str, int]] = {
    # rank 0: says "round" and nothing else
    "round": 0, "runde": 0, "ronda": 0, "manche": 0, "rodada": 0, "ronde": 0, "раунд": 0, "runda": 0, "ラウンド": 0,
    "라운드": 0,
    # rank 1: one message, or one group of messages
    "turn": 1, "exchange": 1, "turno": 1, "échange": 1,
    # rank 2: what a whole document can be a part of, so that a title "Phase 2" gives way to rounds below it
    "cycle": 2, "iteration": 2, "итерация": 2, "durchgang": 2, "tour": 2, "тур": 2,
    "phase": 3, "stage": 3, "fase": 3, "этап": 3,
}  # fmt: skip
"""What a round is called; where a file has several of them, only the words of the lowest rank count rounds."""

ROUND_KINDS: Final = _words(
    """
    critique debate discussion review feedback deliberation rebuttal refinement panel
    """
)
"""What a round may be a round of ("Critique Round 1")."""

NUMBER_WORDS: Final[dict[str, int]] = {
    word: number
    for number, words in enumerate(
        [
            "zero null cero zéro ноль 零",
            "one first eins erste ersten uno una primera primero un une premier première один первый первая 一",
            "two second zwei zweite zweiten dos segunda segundo deux deuxième seconde два второй вторая 二 两 兩",
            "three third drei dritte dritten tres tercera tercero trois troisième terceira три третий третья 三",
            "four fourth vier vierte cuatro cuarta quatre quatrième quatro четыре четвертый четвёртый четвертая 四",
            "five fifth fünf fünfte cinco quinta cinq cinquième пять пятый пятая 五",
            "six sixth sechs sechste seis sexta sixième шесть шестой шестая 六",
            "seven seventh sieben siebte siete séptima sept septième семь седьмой седьмая 七",
            "eight eighth acht achte ocho octava huit huitième восемь восьмой восьмая 八",
            "nine ninth neun neunte nueve novena neuf neuvième девять девятый девятая 九",
            "ten tenth zehn zehnte diez décima dix dixième десять десятый десятая 十",
        ]
    )
    for word in words.split()
}
"""Numbers in words, cardinal and ordinal ("Round Two", "First round", "第二輪")."""

ROUND_LOOKALIKES: Final = _words(
    """
    analysis synthesis summary summaries survivors vote votes voting verdict verdicts findings results scorecard recap
    takeaways outcome outcomes tally scores corrections changes fixes status metrics statistics review notes
    zusammenfassung auswertung ergebnis resumen análisis résumé analyse bilan итоги анализ 总结 總結 小结 小結 分析
    """
)
"""Words that, right after the number, make a round's heading a heading about the round ("Round 1 Analysis")."""

STAGE_ROUNDS: Final[tuple[tuple[tuple[str, ...], RoundNumber], ...]] = (
    (("申論", "申论", "立論", "立论", "開篇", "开篇", "開場", "开场", "陳述", "陈述"), 1),
    (("駁論", "驳论", "反駁", "反驳", "駁斥", "驳斥", "質詢", "质询", "攻辯", "攻辩", "自由辯論", "自由辩论"), 2),
    (("結辯", "结辩", "結論陳詞", "总结陈词", "總結陳詞", "結語", "结语"), 3),
)
"""Stages whose word, fused with a side, tells the round where no heading counts them ("正方申論")."""

STAGES: Final = (
    _words("opening openings initial eröffnung apertura ouverture вступление 開場 开场"),
    _words(
        """
        rebuttal rebuttals cross-examination cross-exam crossfire challenges responses refutation erwiderung réplica
        réplique réfutation возражения 駁論 反驳 反駁
        """
    ),
    _words("closing closings closure schlussplädoyer cierre clôture 結辯 结辩"),
)
"""Words of a heading that holds a stage of a debate, in the order of the stages."""

STAGE_NOUNS: Final = _words(
    """
    statement statements position positions argument arguments remark remarks speech speeches round salvo salvos
    thoughts views presentations pitches takes questioning
    """
)
"""What a stage consists of; a heading of stage words and these words alone is a stage ("Closing statements")."""

DEBATE_WORDS: Final = _words("debate debatte débat дебаты 辩论 辯論")
DEBATE_EPITHETS: Final = _words("the die le el o main open free")
"""A heading of one of the former, with the latter before it, is a stage where one of openings stands above it."""

# -- Voices -----------------------------------------------------------------------------------------------------------

HUMANS: Final = _words(
    """
    user human you me operator customer client prompter ich yo moi eu benutzer nutzer mensch usuario usuaria
    humano utilisateur
    utilisatrice humain utente umano usuário gebruiker пользователь человек 用户 用戶 使用者 人類 人类 我 ユーザー
    ユーザ 人間 사용자
    """
)
"""Names of the person at the keyboard: the whole name, a number or a name in parentheses aside."""

AGENTS: Final = _words(
    """
    assistant ai agent bot model llm copilot chatbot assistent asistente ia ассистент ии агент 助手 助理 智能体 機器人
    机器人 アシスタント 어시스턴트
    """
)
"""Names of the machine in a session of one person and one machine."""

MODERATORS: Final = _words(
    """
    moderator chair chairman chairwoman chairperson judge judges jury facilitator host adjudicator arbiter
    arbitrator referee umpire mediator orchestrator coordinator presider convener moderatorin vorsitz
    vorsitzender richter moderador moderadora juez anfitrión modérateur modératrice juge président animateur
    interviewer entrevistador intervieweur 采访者 採訪者 記者 moderatore giudice juiz модератор судья ведущий
    председатель 裁判 主席 主持人 主持 評審 评审 法官 司会 審判 사회자 ファシリテーター
    """
)
"""Names of who leads or judges without arguing: the name's last word, or its first before a personal name."""

OTHERS: Final = _words(
    """
    system tool tools function terminal console environment output stdout stderr системное система système
    sistema 系统 系統 工具 tool_result tool_call tool_use tool_results tool_calls function_call
    """
)
"""Names of what speaks without a will: tools and system notices."""

SIDES: Final = _words(
    """
    pro con for against affirmative negative proposition opposition proponent opponent prosecution defense
    defence advocate
    skeptic sceptic optimist pessimist plaintiff defendant for-side against-side thesis antithesis befürworter
    gegner favor contra 正方 反方 甲方 乙方 正方一辯 反方一辯 за против
    """
) | {"first principles"}
"""Names of the sides of a debate."""

MODEL_FAMILIES: Final = _words(
    """
    claude gpt chatgpt gemini grok llama mistral mixtral deepseek qwen opus sonnet haiku codex copilot bard palm
    command-r cohere phi gemma kimi glm ernie minimax o1 o3 o4 perplexity openai anthropic bing bedrock ollama
    vicuna falcon yi cursor devin aider 文心 通义 豆包 智谱
    """
)
"""Families of language models and their makers: as a name a voice, in parentheses a model."""

PRODUCTS: Final = _words(
    "code cli chat app desktop web agent max pro flash mini turbo sonnet opus haiku preview thinking"
)
"""Second words of names of models and of the programs around them ("Claude Code", "Gemini Flash")."""

ROLES: Final = _words(
    """
    architect critic analyst engineer developer designer reviewer auditor advisor adviser expert specialist
    scientist philosopher economist ethicist lawyer attorney strategist visionary pragmatist realist idealist
    contrarian devil's advocate manager director officer lead leader founder ceo cto cfo coo cpo ciso tester
    planner builder maker hacker coach mentor teacher student doctor physician patient investor marketer
    researcher historian librarian writer editor journalist author poet artist speaker debater participant
    panelist panellist counsel guardian scout explorer challenger defender prosecutor witness weaver
    sage oracle generalist statistician biologist immunologist chemist physicist mathematician
    psychologist sociologist investigator supporter detractor innovator conservative liberal libertarian
    progressive utilitarian deontologist stoic synthesizer integrator implementer maintainer owner consultant
    inspector regulator keeper student interviewee guest scribe adversary expansionist outsider executor thinker insider
    minimalist maximalist tutor scholar pupil learner candidate
    audience member attendee questioner caller listener viewer 嘉宾 嘉賓
    implementierer kritiker entwickler architekt berater prüfer crítico analista arquitecto
    estratega ingeniero desarrollador abogado arquiteto engenheiro estrategista analyste architecte ingénieur
    développeur stratège
    """
)
"""Nouns for who somebody is: a name that ends in one of them is a voice's rather than a field's."""

ASSIGNED_ROLES: Final = _words(
    """
    owner lead leader manager director officer
    """
)
"""Those of them that fields name as well ("Action owner", "Decision lead")."""

PLACED_PREFIXES: Final = _words(
    """
    agent speaker participant expert debater model panelist player voice persona member mind
    """
)
"""Words that make a name with a letter or number ("Agent A", "Speaker 2", "Model B")."""

PERSON_TITLES: Final = _words(
    """
    dr mr mrs ms mx prof st sr jr hon rev sir mme m herr frau sra
    """
)
"""Abbreviations whose full stop ends no sentence."""

PERSON_HONORIFICS: Final = PERSON_TITLES | _words(
    """
    professor doctor mister miss sister brother father captain senator president profesor profesora professora
    professeur
    """
)
"""What stands before a person's own name."""

# -- What names no voice ----------------------------------------------------------------------------------------------

SECTION_WORDS: Final = _words(
    """
    synthesis summary summaries analysis consensus verdict verdicts conclusion conclusions actions action steps roster
    panel participants agents personas recommendation recommendations decision decisions resolution resolutions vote
    votes voting tally prompt context background references reference findings disagreement disagreements dissent
    dissenting insights insight scorecard scoreboard adjudication diagnosis topic status date protocol format rules
    metadata key takeaways outcome outcomes result results agreement agreements tension tensions assumptions appendix
    overview implementation priorities priority risks mitigations next statistics metrics report introduction abstract
    contents one-liner one-liners survivors rubric questions question motion agenda notes todo issues issue scope
    objective objectives goal goals setup configuration config footer glossary evaluation scoring score scores ranking
    convergence observations corrections residuals amendments record changelog zusammenfassung synthese fazit ergebnis
    ergebnisse teilnehmer analyse hintergrund kontext entscheidung resumen conclusión conclusiones participantes
    contexto decisión síntesis análisis résumé synthèse contexte décision intervenants итог итоги вывод выводы
    заключение участники контекст решение резюме анализ 总结 總結 结论 結論 小结 综合裁决报告 背景 背景資料 背景资料
    参与者 參與者 评分 評分 裁決 裁决 评审结果 評審結果 要約 概要 まとめ
    """
)
"""Words of headings that hold no turns: a section so titled is skipped, and no voice is so named."""

HARD_SECTION_WORDS: Final = _words(
    """
    synthesis summary summaries analysis consensus verdict verdicts conclusion conclusions roster panel
    participants agents personas recommendation recommendations decision decisions vote votes voting tally result
    results dissent dissenting takeaways outcome outcomes one-liner one-liners scorecard scoreboard adjudication
    references appendix disagreements agreements statistics metrics zusammenfassung synthese fazit ergebnis ergebnisse
    teilnehmer resumen conclusión conclusiones participantes síntesis résumé synthèse intervenants итог итоги
    вывод выводы заключение участники
    """
)
"""Those of them under which voices are named without speaking: a label right below such a heading is a summary's."""

SECTION_STARTS: Final = ("总结", "總結", "结论", "結論", "背景", "裁判評分", "综合", "評審", "评审", "附錄", "附录")
"""Openings of such headings in scripts without spaces."""

SECTION_ENDS: Final = ("評審結果", "评审结果", "評分", "评分", "總結", "总结", "結論", "结论", "分析", "報告", "报告")
"""Endings of such headings in scripts without spaces."""

ROSTER_WORDS: Final = _words(
    """
    roster panel participants participant agents personas persona debaters experts members member speakers cast
    team attendees models characters voices panelists panellists lineup teilnehmer participantes intervenants
    участники 参与者 參與者 参加者 参与成员 參與成員 参会人员 出席者 与会者 登場人物 角色
    committee committees players contributors convened personae personajes personnages personaggi
    """
)
"""Words of headings and labels that list the voices."""

TEAMS: Final = frozenset({"red", "blue", "purple", "white", "green"})
"""What stands before "Team" where a side is meant, and nobody is listed."""

MEMBER_HEADS: Final = _words(
    """
    member speaker participant persona expert panelist panellist debater voice agent character advisor name teilnehmer
    participante intervenant участник 成员 成員 角色
    """
)
"""Heads of a table's first column that names the voices."""

FIELD_WORDS: Final = _words(
    """
    note notes warning warnings important tip tips caution info example examples usage input inputs output outputs
    returns return raises raise throws parameters parameter params param args arguments options option default type
    types required optional value values name description version author authors license date time file files path url
    link links see source sources before after added changed fixed removed deprecated breaking features feature fix
    fixes bug bugs problem problems solution solutions cause causes impact effort why what how when where who which
    pros cons benefits drawbacks advantages disadvantages strengths strength weaknesses weakness opportunities threats
    requirements requirement prerequisites installation install test tests testing code response request action answer
    answers hint hints step steps phase stage part section chapter figure table level priority severity evidence
    rationale reason reasoning claim claims counterargument counterarguments quote quotes confidence stance position
    positions duration cost budget timeline deliverables deliverable owner assignee labels label tags tag category
    categories total count number id uuid hash size language framework stack technology technologies command commands
    env environment variables variable method methods class classes module modules package packages dependencies
    dependency endpoint endpoints headers header body payload success error errors failure failures expected actual
    behaviour behavior current proposed alternative alternatives trade-offs tradeoffs idea ideas concept concepts
    definition definitions purpose mission vision principle principles rule core thesis theme themes highlights
    lowlights learnings lessons lesson progress blockers blocker done doing todo pending completed remaining today
    yesterday tomorrow morning afternoon evening week month day year mood energy focus sleep monday tuesday wednesday
    thursday friday saturday sunday january february march april june july august september october november december
    proposal proposals suggestion suggestions counter-proposal session project branch commit repository repo
    challenge approach situation task observation hypothesis experiment timestamp
    data dataset training limitation limitations caveat caveats constraint constraints guideline guidelines convention
    conventions pattern patterns anti-pattern anti-patterns symptom symptoms fixme workaround details detail
    ingredients instructions directions servings prep changes commits release releases concedes opening closing salvo
    critiques rebuttals reviews openings replies judgment judgments judgement judgements ruling rulings
    assessment hinweis beispiel frage antwort ejemplo nota pregunta respuesta exemple datum thema modell fecha tema
    modelo sujet modèle дата тема модель remarque réponse пример вопрос ответ примечание 日期 時間 时间 專案 项目
    專案名稱 主題 主题 模型 標題 标题 注意 例子 问题 問題 回答 说明 說明 示例 wrong better right bad argument
    開催日 形式 記録者 日時 日付 場所 議題 目的 概要 背景 決定事項 次回 備考 날짜 목적 장소 프로젝트
    """
)
"""Words of fields and admonitions: a label of one of them alone is no voice, and none may open a name."""

NAME_STARTS_REFUSED: Final = _words(
    """
    what why how when where which who whose your her his my its their our from re is are was were do does did
    can could should would will if as in on at for with without not no yes all both each every any some most
    more other another and or but this that these those it we they i there here key main final initial first
    second third last next new old current previous additional further open remaining related recommended
    proposed about using getting adding running creating let lets please thanks step option issue item point
    case figure table task test chapter week day version section part question appendix example sample total
    overall breaking known minor major immediate
    """
)
"""Words that open no name ("What happened", "Your words", "Key insights")."""

VERBS: Final = (
    "says", "said", "asked", "answered",
    "responds", "responded", "replies", "replied", "argues", "answers", "asks", "rebuts",
    "counters", "attacks", "challenges", "cross-examines", "cross examines", "questions", "concludes", "writes",
    "wrote", "proposes", "opens", "closes", "objects", "concedes", "defends", "summarises", "summarizes", "speaks",
    "continues", "interjects", "presents", "critiques", "critiquing", "thinks", "states", "contends", "insists",
    "agrees", "disagrees", "warns", "to", "sagt", "antwortet", "erwidert", "dice", "responde", "contesta", "dit",
    "répond", "objecte", "говорит", "отвечает", "возражает", "说", "說", "回應", "回应", "反驳", "反駁",
)  # fmt: skip
"""Verbs after a name; what follows them is whom it is said to."""

TRAILING_NOUNS: Final = _words(
    """
    arguments defense defence assessment positions statements questions concerns
    response responses reply rebuttal argument arguments position statement opening closing speech remarks
    remark case take view views perspective opinion turn answer comment comments intervention thoughts critique
    counterargument revision contribution final initial first second third revised refutation antwort respuesta
    réponse ответ cross-examination counter follow-up followup
    counter-rebuttal counter-argument counterattack proposal plan draft notes conclusion presentation
    发言 發言 陈述 陳述 回应 回應 观点 觀點 立场 立場 反驳 反駁 意见 意見 発言 発表 발언
    """
)
"""Nouns (and their adjectives) after a name, that say what kind of turn it is ("Grok's Final Position")."""

MODELS_NOUNS: Final = frozenset({"feedback", "review"})
"""The same behind a model's name alone ("Codex Feedback"); a user's feedback is a section."""

OWNED_NOUNS: Final = TRAILING_NOUNS | {"analysis", "recommendation", "recommendations"}
"""The same where somebody owns them ("Noor's analysis"); a market's or risk's analysis is a section."""

UNSAID: Final = _words(
    """
    preliminary investigation investigations background biography profile prompt instructions persona
    """
)
"""What a voice may be said to have without speaking ("Noor's Preliminary: 9/10")."""

STAGE_NOTES: Final = _words(
    """
    opening closing rebuttal response reply revised refined counter final initial continued cont'd synthesizing
    synthesising summary summarizing reflection cross-examination refutation closing-statement opening-statement
    full conclusion follow-up followup statement edit edited draft concession thinking reasoning 思考 思考過程 思考过程
    """
)
"""Words in a label's parentheses or after its dash that say which pass it is, rather than who speaks."""

VERDICT_WORDS: Final = _words(
    """
    verdict accept accepted approve approved reject rejected block blocked disagree agree commit abstain aye nay yes no
    pass fail concern concerns conditional needs-changes revise lgtm go no-go support oppose neutral for against
    hold disagree_and_commit disagree-and-commit 赞成 反对 同意
    """
)
"""Words of a decision after a name ("Architect: ACCEPT")."""

TITLE_WORDS: Final = (
    "debate", "transcript", "council", "round table", "roundtable", "round-table", "deliberation", "conversation",
    "dialogue", "dialog", "discussion", "party mode", "duel", "symposium", "cross-examination", "panel", "chat log",
    "chat", "interview", "exchange", "argument", "brainstorm", "debatte", "diskussion",
    "gespräch", "débat", "conversación", "diálogo", "transkript", "transcripción", "transcription", "transcrição",
    "entrevista", "entretien", "conversa", "discusión", "discussão", "mesa redonda", "table ronde", "workshop",
    "speech", "presentation script", "script", "podcast", "webinar", "lecture", "q&a",
    "дебат", "диалог", "обсуждение", "辯論", "辩论", "对话",
    "對話", "讨论", "討論", "圓桌", "圆桌", "対話", "議論", "토론", "대화", "회의록",
    "議事録", "座談会", "访谈", "訪談", "session log",
)  # fmt: skip
"""Words of a title that announces a conversation."""

SAID_NOUNS: Final = _words(
    """
    responses response statements positions perspectives opinions analyses deliberations deliberation views takes
    réponses positions avis respuestas posturas antworten stellungnahmen
    """
)
"""What members of a panel give, in headings below which each of them has a say ("Advisor Responses")."""

PANEL_WORDS: Final = _words(
    """
    advisor advisors adviser advisers council expert experts panel panelist panelists persona personas agent agents
    member members seat seats board committee jury reviewer reviewers consejo conseil conseillers beirat experten
    prompts
    """
)
"""Who gives them, and what they answer to."""

SPOKEN_TITLES: Final = _words(
    """
    transcript council deliberation conversation dialogue dialog debate chat chatlog roundtable round-table
    gespräch transkript conversación
    diálogo transcripción conversa transcrição débat transcription 聊天记录 对话 對話 对话记录 对话档案 議論の過程
    討論 讨论记录 対話 диалог разговор
    """
)
"""Words of a heading below which people speak; wider ones ("Discussion") head chapters as well."""

FIRST_PERSON: Final = _words(
    """
    i i'm i'd i've i'll me my mine myself ich mir mich mein meine je j'ai mon ma moi yo mi mis creo eu meu minha
    io mio ik mijn я мне мой моя меня
    """
)
"""Pronouns of somebody who speaks for himself, as against a text that describes."""

FIRST_PERSON_SIGNS: Final = ("我", "私", "僕", "俺", "저는", "나는", "제가")
"""The same in scripts without spaces."""

ADDRESS: Final = _words(
    """
    you you're your yours we we're our us let's du dein ihr euer sie wir uns unser tu ton vous votre nous notre
    tú usted ustedes su nosotros você vocês nós ты вы ваш мы нас наш
    """
)
"""Pronouns of somebody who speaks to others, which handbooks use as well."""

ADDRESS_SIGNS: Final = ("你", "您", "我們", "我们", "あなた", "皆様", "皆さん", "당신", "여러분")
"""The same in scripts without spaces."""

# fmt: off
CLOSERS: Final = frozenset({
    "resolved", "concluded", "verdict", "synthesis", "consensus", "outcome", "ruling", "survivors", "tally",
    "vote", "votes", "result", "decision", "summary", "score", "scores", "observations", "resolution",
    "conclusion", "结论", "結論", "决定", "決定", "fazit", "ergebnis", "entscheidung", "decisión", "conclusión",
    "décision", "decisão", "conclusão", "convergence", "konvergenz", "convergencia", "收敛", "收斂",
})
# fmt: on
"""Words of a bold line or item that closes a section of several turns."""

ANSWERS: Final = _words(
    "response answer reply antwort respuesta réponse risposta resposta ответ 回答 回应 回應 回复 답변"
)
"""Labels of whoever answers a voice and has no other name."""

DOINGS: Final = frozenset({"creation", "generation", "drafting", "planning", "writing", "collaboration", "brainstorm"})
"""Last words of headings below which something is made, together ("Final Summary Drafting")."""

DUTIES: Final = ("should", "must", "shall", "has to", "needs to", "soll", "muss", "debe", "doit", "deve")
"""What stands behind a name where somebody is told what to do."""

PLACEHOLDER_WORDS: Final = (
    "unavailable", "timed out", "time out", "timeout", "timed-out", "no response", "skipped", "no reply",
    "did not respond", "failed to respond", "error:", "no answer", "n/a", "none", "not available", "keine antwort",
    "sin respuesta", "pas de réponse", "нет ответа", "无响应", "無回應", "pause", "pauses", "silence",
    "gathering thoughts",
)  # fmt: skip
"""Openings of a body that says that nothing was said."""

PERSON_EMOJI: Final = "👤🧑👩👨🙋🙂😀🧔👱🗣👥"
MACHINE_EMOJI: Final = "🤖🦾🧠✨💻🖥"

# -- Session sections -------------------------------------------------------------------------------------------------

PROMPT_FIELDS: Final = _words(
    """
    prompt request user-prompt human user ask instruction
    """
)
"""Field names that hold what the person asked, in logs kept step by step."""

ACTION_FIELDS: Final = frozenset({"ai response", "ai answer", "model response", "assistant response"}) | _words(
    """
    action actions response answer assistant agent reply result-summary réponse reponse respuesta antwort risposta
    resposta responce reponce
    """
)
"""Field names that hold what the agent did about it."""
