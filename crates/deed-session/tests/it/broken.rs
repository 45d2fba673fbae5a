use deed_session::SessionError;

use crate::support::Place;

#[test]
fn a_file_without_a_header_is_no_session() {
    let place = Place::new();
    for text in [
        "",
        "\n",
        "{}\n",
        "no json\n",
        "[1]\n",
        "{\"type\":\"message\",\"id\":\"1\"}\n",
    ] {
        let path = place.file(text);
        let error = place.store.open(&path).unwrap_err();
        assert!(
            matches!(error, SessionError::NoHeader { .. }),
            "{text:?}: {error}"
        );
        let error = place.store.open_read_only(&path).unwrap_err();
        assert!(
            matches!(error, SessionError::NoHeader { .. }),
            "{text:?}: {error}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), text.as_bytes());
    }
}
