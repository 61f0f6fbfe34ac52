"""Common given names: who is called Alice is a voice, even where she speaks only once.

No list of names is complete, and most voices of real debates are models, roles or invented names. So being in this list
is one sign among others (see `evidence`), and not being in it says nothing.
"""

from __future__ import annotations

GIVEN_NAMES = frozenset(
    """
    aaron abdul abigail adam adele adrian agnes ahmed aiko aisha akira alan albert alejandro alessandra alessandro
    alex alexander alexandra alexei alfred ali alice alicia alina alma amal amanda amara amelia amina amir amit amy
    ana anastasia anders andré andre andrea andreas andrei andrew andy angela anika anil anita anja anke ann anna
    anne anton antonio anya arash aria ariel arjun arne arthur arun asha ashley astrid aurora ava axel ayesha ayşe
    barbara beatrice ben benedict benjamin bernard bernd beth bettina bianca bill birgit bob boris brad brandon
    brenda brian brigitte bruce bruno camila camille carl carla carlos carmen carol carolina caroline casey
    catherine cecilia chad charles charlie charlotte chen chiara chidi chloe chris christian christina christine
    christoph christopher claire clara claudia cleo colin connor daisuke dan dana daniel daniela danielle dara dave
    david dean deborah deepak denis dennis derek diana diane diego dieter dilip dimitri dirk dmitri dominic don
    donna doris dorothy douglas dylan eduardo edward elaine elena eleanor elias elif elisa elizabeth ella ellen
    elliot emeka emil emilia emily emma enrique eric erica erik erin esther ethan eugene eva evan eve evelyn fabian
    farah fatima federico felix fernando filip fiona florian frances francesca francisco frank frankie franz fred
    freya frieda fritz gabriel gabriela gary gemma george georg gerald gerd gianna gina giorgio giovanni giulia
    gloria gordon grace graham greg greta guillermo gunnar gustav hana hanna hannah hans haruto harold harry hassan
    heather heidi heike heinz helen helena henrik henry herbert hiro hiroshi holly hugo ian ibrahim ida ilse imran
    inês ines ingrid irene iris irina isaac isabel isabella ivan ivana ivy jack jackson jacob jacques jakob jamal
    james jamie jan jana jane janet jasmine jason javier jay jean jeff jennifer jens jeremy jerome jesse jessica jim
    jin joan joana joanna joão jochen joe joel johan johanna johannes john jon jonas jonathan jordan jorge jörg josé
    jose josef joseph joshua juan juana judith judy julia julian julie jun jürgen justin kai kamal karen karim karin
    karl karla kate katharina katherine kathleen katie katja keiko keith kelly ken kenji kenneth kevin khalid kim
    kira klaus kofi konrad krishna kristin kurt kyle laila lara larry lars laura lauren lea leah lee leila lena leo
    leon leonard leonie leslie li liam lian lila lily lina linda ling linus lisa liu liz lois lorenzo louis louise
    luca lucas lucia lucy luigi luis luisa lukas luke luna lydia lynn maeve magnus mahmoud maja malik mara marc
    marcel marco marcus margaret maria mariam marie marina mario marion marius mark marko markus marta martha martin
    martina mary masha mateo mathias mathieu matt matteo matthew maurice max maya megan mehmet mei mei-ling melanie
    melissa mercy mia michael michel michelle miguel mika mike mikhail mila milan ming mira miriam mohamed mohammed
    moira monica monika moritz morgan mustafa nadia nadine nancy naomi natalia natalie natasha nathan neha neil nia
    nicholas nick nicolas nicole niels nikita nikolai nils nina noah noel noor nora norman nuno odette olaf ole oleg
    olga oliver olivia omar oscar otto pablo paola paolo patricia patrick paul paula paulo pavel pedro peggy peter
    petra phil philip philipp pierre pilar piotr priya quentin rachel rafael rahul raj rajesh ralf ralph ramon ravi
    raymond rebecca rené renate ricardo richard rita robert roberto robin rodrigo roger roland roman ron rosa rose
    roy ruben rui ruth ryan sabine sabrina salma sam samantha samir samuel sana sandeep sandra sanjay sara sarah
    sasha scott sean sebastian selma serena sergei sergio seth shan shirin sigrid silke silvia simon simone sofia
    sonia sonja sophia sophie stefan stefanie stella stephan stephanie stephen steve steven stuart sue sunita susan
    susanne suzanne sven sylvia takeshi tamar tamara tanja tara tariq tatiana ted teresa terry theo theresa thomas
    tim timo timothy tina tobias todd tom tomas tomás tony tracy ulrich ulrike umar ursula uta uwe valentin valeria
    vanessa vera verena veronica vic victor victoria vijay vikram viktor vincent viola violet virginia vivian
    vladimir wanda wei wendy werner wilhelm will william willow wolfgang xavier yan yara yasmin yasmina yuki yuri
    yusuf yvonne zachary zahra zara zoe zoey zoran
    """.split()
)
"""Lower-case given names of many languages, those left out that are mostly other words."""
