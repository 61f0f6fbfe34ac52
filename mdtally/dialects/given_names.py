"""Common given names: who is called Alice is a voice, even where she speaks only once.

No list of names is complete, and most voices of real debates are models, roles or invented names. So being in this list
is one sign among others (see `evidence`), and not being in it says nothing.
"""

from __future__ import annotations

GIVEN_NAMES = frozenset(
    """
    aaron abdul abena abigail adaeze adam adele aditya adrian agnes agnieszka agus ahmed aiko aisha akira alain alan
    albert alejandro alessandra alessandro alex alexander alexandra alexei alexis alfred ali alice alicia alina alma
    amal amanda amara amelia amina amir amit amy ana ananya anastasia anders andre andrea andreas andrei andrew andré
    andy angela anika anil anita anja anke ann anna anne anthony antoine anton antonio anya arash aria ariel arjun
    arne arthur arun asha ashley astrid attila aurora ava axel ayesha ayşe barbara beatrice beatriz ben benedict
    benjamin bernard bernd beth bettina betty beverly bianca bill billy birgit bjorn bob bobby bogdan boris brad
    bradley brandon brenda brian brigitte brittany bruce bruno bryan budi caleb camila camille carl carla carlos
    carmen carol carolina caroline carolyn casey catherine cecilia chad charles charlie charlotte chen cheryl chiara
    chidi chloe chloé chris christian christina christine christoph christopher claire clara claudia cleo colin connor
    cynthia daisuke dan dana daniel daniela danielle dara dave david dean deborah debra deepak denis denise deniz
    dennis derek dewi diana diane diego dieter dilip dimitri dimitris dirk dmitri dominic don donald donna doris
    dorothy douglas dylan eduardo edward elaine eleanor elena eleni elias elijah elisa elizabeth ella ellen
    elliot emeka emil emilia emily emma emre enrique eric erica erik erin esther ethan eugene eva evan eve evelyn
    ezequiel fabian farah fatima federico felix fernando filip finn fiona florian folake frances francesca francesco
    francisco frank frankie franz fred freya frieda fritz gabriel gabriela gary gemma georg george gerald gerd gianna
    gina giorgio giorgos giovanni giulia giulio giuseppe gloria gordon grace graham greg gregory greta guillermo
    gunnar gustav gustavo hana hanna hannah hans harold harry haruto hassan heather heidi heike heinz helen helena
    henrik henry herbert hiro hiroshi holly hugo hui ian ibrahim ida ilse imran ines ingrid inès inês ioana irene
    irina iris isaac isabel isabella isabelle ishaan istván ivan ivana ivy jack jackson jacob jacqueline jacques jakob
    jakub jamal james jamie jan jana jane janet janice jasmine jason javier jay jean jeff jeffrey jennifer jens jeremy
    jerome jerry jesse jessica ji-woo jim jin jing jiří joan joana joanna jochen joe joel johan johanna johannes john
    jon jonas jonathan jordan jorge jose josef joseph joshua josé joyce joão juan juana judith judy julia julian julie
    jun jun-ho justin jörg jürgen kai kamal kamau karen karim karin karl karla katarzyna kate katharina katherine
    kathleen kathryn katie katja katrin kavita kayla keiko keith kelly ken kenji kenneth kevin khalid kim kimberly
    kira kjell klaus kofi konrad krishna kristin kurt kwame kyle laila lakshmi lara larry lars laura lauren lawrence
    layla lea leah lee leila lena leo leon leonard leonie lerato leslie li liam lian lila lily lina linda ling linh
    linus lisa liu liz logan lois lorenzo lori louis louise luc luca lucas lucia lucie lucy lucía luigi luis luisa
    lukas luke luna lydia lynn lászló léa maeve magnus mahmoud maja malik manon manuel mara marc marcel marco marcus
    margaret maria mariam marie marilyn marina mario marion marius mark marko markus marta martha martin martina mary
    masha mateo mathias mathieu matt matteo matthew maurice max maya meera megan mehmet mei mei-ling melanie melissa
    mercy mette mia michael michel michelle miguel mika mike mikhail mila milan min-jun ming minh mira miriam mohamed
    mohammed moira monica monika morgan moritz murray mustafa nadia nadine nancy naomi natalia natalie natasha
    nathalie nathan neha neil ngozi nia nicholas nick nicolas nicole niels nikita nikolai nikos nils nina noah noel
    noor nora norman nuno odette olaf ole oleg olga oliver olivia omar oscar otto pablo pamela paola paolo patricia
    patrick paul paula paulo pavel pawel pedro peggy peter petra phil philip philipp philippe pierre pilar piotr pooja
    priya quentin rachel rafael rahul raj rajesh ralf ralph ramesh ramon randy ravi raymond rebecca renate rené
    ricardo richard rita robert roberto robin rodrigo roger rohan roland roman ron ronald rosa rose roy ruben rui
    russell ruth ryan sabine sabrina sakura salma sam samantha samir samuel sana sandeep sandra sanjay santiago sara
    sarah sasha scott sean sebastian selma seo-yeon serena sergei sergio seth shan sharon shirin shirley sigrid silke
    silvia simon simone sipho siti sofia somchai sonia sonja sophia sophie stefan stefanie stella stephan stephanie
    stephen steve steven stuart sue sunita suresh susan susanne suzanne sven svetlana sylvia søren takeshi tamar
    tamara tanja tara tariq tatiana ted teresa terry thandi theo theresa thiago thomas thuy tiago tiffany tim timo
    timothy tina tobias todd tom tomas tomasz tomás tomáš tony tracy tunde tyler ulrich ulrike umar ursula uta uwe
    valentin valentina valeria vanessa vera verena veronica vic victor victoria vijay vikram viktor vincent viola
    violet virginia vivian vladimir walter wanda wanjiku wayne wei wendy werner wilhelm will william willie willow
    wojciech wolfgang xavier xin yan yara yasmin yasmina yaw yui yuki yuri yusuf yvonne zachary zahra zainab zara zoe
    zoey zofia zoran zsófia zuri
    """.split()
)
"""Lower-case given names of many languages, those left out that are mostly other words."""
