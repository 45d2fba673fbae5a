//! Tool cards drawn as terminal text and HTML.
