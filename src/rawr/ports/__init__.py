"""What the runtime needs from the outside, each port with its types. Adapters implement these.

::

    harness     Harness, Connection, Driver    connects, and carries out one effect: Done or Undone
    memory      Memory                         takes a Batch before rawr acts on it
    completion  Completer                      answers a Completion: Completed, or CompletionFailed
    clock       Clock                          time, so that tests can control it
    advisers    Observer, Approvals, Models    say what a command did, what is safe, what a model thinks
    surface     Surface, Commands, Tell        what a person sees, and the ways in for commands and facts

A port imports ``rawr.core`` and ``rawr.errors`` and nothing else from rawr; import-linter enforces that. Code that acts
takes a ``Real`` effect, never one as the journal has it (D12).
"""
