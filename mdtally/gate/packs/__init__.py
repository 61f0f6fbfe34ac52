"""The gate's words as data, a file a language; `mdtally.gate.pack` reads them."""
