"""What the runtime needs of the world, each port with the types that it speaks. Adapters are written against these.

::

    codex       Codex                          carries out one effect: Done or Undone
    memory      Memory                         takes a Batch before anything is done about it
    completion  Completer                      answers a Completion: Completed, or CompletionFailed
    clock       Clock                          time, so that tests can hold it
    advisers    Observer, Approvals, Models    say what a command did, what is safe, what a model thinks
    surface     Surface, Commands, Tell        what a person sees, and the ways in for commands and facts

A port knows ``rawr.core`` and nothing else of rawr; import-linter holds that. Whoever acts takes a ``Real`` effect,
never one as it is written in the journal (D12).
"""
