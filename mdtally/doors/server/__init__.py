"""The language server: what `lint` and `verdict` say of a text, in an editor, while it is being written.

``text`` reads one version of a text once, however much is asked about it, and counts columns as the editor does;
``shown`` and ``actions`` make the answers of it, in the protocol's words; ``program`` speaks with the editor. Importing
any of them imports pygls, which only ``mdtally lsp`` does.
"""
