"""The gate: does a response in a debate reason, or does it flatter?

Three published layers, made right on real debates: layer 1 looks for eight phrases of performative agreement, layer 2
for a sign that the response takes issue with what somebody has said in this debate, layer 3 for a minimum of words. A
stand-down ("I've stress-tested Ana's argument and cannot find a material weakness.") satisfies layers 2 and 3. Beyond
them: padding in other words, echoes, and vague objections. The words come from packs, a file a language.
"""

from mdtally.gate.checking import check, check_response
