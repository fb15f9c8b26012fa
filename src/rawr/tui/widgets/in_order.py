"""Keys take effect in the order in which they were pressed.

Textual hands letters to a field at once, and looks for bindings only when a key has passed through it unused. So what
comes in a burst, from a slow line or a fast typist, is out of order: the letters after a Backspace are there before it.
"""

from typing import TYPE_CHECKING

from textual import events

if TYPE_CHECKING:
    from textual.widget import Widget
else:
    # A second widget among its bases would hide the field's own styles.
    Widget = object


class InOrder(Widget):
    """Mixed into a field, before it."""

    async def _on_key(self, event: events.Key) -> None:
        for key in (event.key, *event.aliases):
            bound = self._bindings.key_to_bindings.get(key)
            if bound:
                event.stop()
                event.prevent_default()
                await self.run_action(bound[0].action)
                return
        await super()._on_key(event)
