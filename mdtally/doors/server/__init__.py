"""The language server: what `lint` and `verdict` say of a text, in an editor, while it is being written.

``text`` reads one version of a text once, however much is asked about it, and counts columns as the editor does;
``shown`` and ``actions`` make the answers of it; ``program`` speaks with the editor, in the protocol’s words. Importing
any of them imports pygls, which only ``mdtally lsp`` does.
"""
