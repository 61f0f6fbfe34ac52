"""The gate: does a response in a debate reason, or does it flatter?

Three published layers, made right on real debates: layer 1 looks for eight phrases of performative agreement, layer 2
for a sign that the response takes issue with what somebody has said in this debate, layer 3 for a minimum of words. A
stand-down ("I've stress-tested Ana's argument and cannot find a material weakness.") satisfies layers 2 and 3. Beyond
them: padding in other words, echoes, vague objections, and turns that wait. The words come from packs, a file a
language.

The way of a response, which `checking` goes:

1. `fold`: its text evened out, with the way back to each place;
2. `pack`: where a language's patterns stand in it; `evidence`: which of them count;
3. `against` and `echo`: what it takes up of the turns before it, and what it repeats;
4. `features`: all of that as numbers; `weigh`: what these come to;
5. `judge`: what it fails, and what would mend that.

A stance that is stated (`stances`) and a second reader (`opinion`) decide before the words do. `literal` has the
published rules to the letter.
"""

from mdtally.gate.checking import check, check_response
