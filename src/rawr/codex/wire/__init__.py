"""The app-server's messages as types, as far as rawr needs them. Fields it does not need are left out and ignored."""
