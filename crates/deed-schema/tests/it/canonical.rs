use deed_schema::{RawArgs, Sha256Hash, ToolSchema, canonical_json, sha256_hex};
use serde_json::{Value, json};

fn canonical(json: &str) -> String {
    let value: Value = serde_json::from_str(json).unwrap();
    String::from_utf8(canonical_json(&value)).unwrap()
}

#[test]
fn numbers_of_rfc_8785_appendix_b() {
    let vectors: &[(u64, &str)] = &[
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ];
    for (bits, wanted) in vectors {
        let bytes = canonical_json(&json!(f64::from_bits(*bits)));
        assert_eq!(String::from_utf8(bytes).unwrap(), *wanted, "{bits:016x}");
    }
}

#[test]
fn keys_are_in_utf_16_order() {
    let sorted = canonical(
        r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",
            "1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control",
            "\u00f6":"Latin Small Letter O With Diaeresis"}"#,
    );
    let wanted = "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\
        \"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\
        \"😀\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}";
    assert_eq!(sorted, wanted);
}

#[test]
fn texts_are_escaped_as_little_as_possible_and_never_normalised() {
    let given = r#"{"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/\u007f\b\t\f\r"}"#;
    let wanted = "{\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\u{7f}\\b\\t\\f\\r\"}";
    assert_eq!(canonical(given), wanted);
    assert_ne!(canonical(r#""\u00e9""#), canonical(r#""e\u0301""#));
    assert_eq!(
        canonical(r#"[ null , true, false, 1.0, 1e2, {} ]"#),
        "[null,true,false,1,100,{}]"
    );
}

#[test]
fn hashes_are_sha_256_of_the_canonical_bytes() {
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(sha256_hex(b"abc"), abc);
    let schema = ToolSchema::new(json!({"type": "object"})).unwrap();
    let validated = |text: &str| schema.validate(&RawArgs::from_text(text).unwrap()).unwrap();
    let args = validated(r#"{"b": [1.0, "x"], "a": {"d": null, "c": true}}"#);
    assert_eq!(
        args.canonical(),
        br#"{"a":{"c":true,"d":null},"b":[1,"x"]}"#
    );
    assert_eq!(args.sha256(), Sha256Hash::of(&args.canonical()));
    let reordered = validated(r#"{"a":{"c":true,"d":null},"b":[1,"x"]}"#);
    assert_eq!(args.sha256(), reordered.sha256());
    assert_ne!(
        args.sha256(),
        validated(r#"{"a":{"c":true,"d":null},"b":["x",1]}"#).sha256()
    );
}

#[test]
fn a_hash_is_hexadecimal_wherever_it_is_written() {
    let hash = Sha256Hash::of(b"abc");
    assert_eq!(hash.to_string(), sha256_hex(b"abc"));
    let json = serde_json::to_string(&hash).unwrap();
    assert_eq!(json, format!("\"{hash}\""));
    assert_eq!(serde_json::from_str::<Sha256Hash>(&json).unwrap(), hash);
    assert!("abc".parse::<Sha256Hash>().is_err());
    assert!("zz".repeat(32).parse::<Sha256Hash>().is_err());
    assert!("é".repeat(32).parse::<Sha256Hash>().is_err());
}
