//! What looks like a secret, and what only looks like it.

use super::redactor;

fn redacted(text: &str) -> String {
    redactor(["known-value-1"]).redact_text(text).into_owned()
}

#[test]
fn shapes_are_replaced() {
    for (text, want) in [
        (
            "key sk-proj-Ab12Cd34Ef56Gh78Ij90 end",
            "key [redacted:api-key:2] end",
        ),
        (
            "sk-ant-api03-Ab12Cd34-Ef56_Gh78Ij90",
            "[redacted:api-key:2]",
        ),
        ("sk_live_Ab12Cd34Ef56Gh78Ij90", "[redacted:stripe-key:2]"),
        (
            "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
            "[redacted:github-token:2]",
        ),
        (
            "gho_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
            "[redacted:github-token:2]",
        ),
        (
            "ghs_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
            "[redacted:github-token:2]",
        ),
        (
            "github_pat_11ABCDEFG0abcdefghij_klmnop",
            "[redacted:github-token:2]",
        ),
        ("glpat-Ab12Cd34Ef56Gh78Ij90", "[redacted:gitlab-token:2]"),
        ("id=AKIAQ3EGR7WZ5BTYXLMN", "id=[redacted:aws-key-id:2]"),
        ("ASIAQ3EGR7WZ5BTYXLMN", "[redacted:aws-key-id:2]"),
        (
            "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
            "[redacted:google-key:2]",
        ),
        ("xoxb-123456789012-abcDEF", "[redacted:slack-token:2]"),
        (
            "https://hooks.slack.com/services/T01ABCDEF/B01ABCDEF/a1b2c3d4e5f6g7h8i9j0k1l2",
            "https://hooks.slack.com/services/[redacted:slack-webhook:2]",
        ),
        (
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4",
            "[redacted:jwt:2]",
        ),
        (
            "Authorization: Bearer a1b2c3d4e5",
            "Authorization: Bearer [redacted:authorization:2]",
        ),
        (
            "curl -H 'authorization: basic dXNlcjpwYXNz'",
            "curl -H 'authorization: basic [redacted:authorization:2]'",
        ),
        (
            r#"{"Authorization": "Bearer a1b2c3d4e5"}"#,
            r#"{"Authorization": "Bearer [redacted:authorization:2]"}"#,
        ),
        (
            "postgres://app:hunter22@db/x",
            "postgres://app:[redacted:url-password:2]@db/x",
        ),
        ("DB_PASSWORD=S3cr3tPw!", "DB_PASSWORD=[redacted:assigned:2]"),
        (
            "passwd: hunter2hunter2\n",
            "passwd: [redacted:assigned:2]\n",
        ),
        (
            "curl 'https://h/?token=a1b2c3d4e5&x=1'",
            "curl 'https://h/?token=[redacted:assigned:2]&x=1'",
        ),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfi9",
            "aws_secret_access_key = [redacted:assigned:2]",
        ),
        (
            r#"password = "hunter22""#,
            r#"password = "[redacted:assigned:2]""#,
        ),
        (
            r#"const API_KEY: &str = "abc123def456";"#,
            r#"const API_KEY: &str = "[redacted:assigned:2]";"#,
        ),
        (
            r#""password": "hunter22","#,
            r#""password": "[redacted:assigned:2]","#,
        ),
        (
            r#"{\"client_secret\": \"hunter22\"}"#,
            r#"{\"client_secret\": \"[redacted:assigned:2]\"}"#,
        ),
        (
            "api_key: 'abc123def456'",
            "api_key: '[redacted:assigned:2]'",
        ),
        (
            "password := \"hunter22\"",
            "password := \"[redacted:assigned:2]\"",
        ),
    ] {
        assert_eq!(redacted(text), want);
    }
}

#[test]
fn private_keys_are_replaced_whole_also_without_their_end() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n".repeat(3);
    for kind in ["", "RSA ", "OPENSSH ", "ENCRYPTED "] {
        let block =
            format!("-----BEGIN {kind}PRIVATE KEY-----\n{body}-----END {kind}PRIVATE KEY-----");
        assert_eq!(
            redacted(&format!("a\n{block}\nb")),
            "a\n[redacted:private-key:2]\nb"
        );
        let escaped = block.replace('\n', "\\n");
        assert_eq!(
            redacted(&format!("\"{escaped}\"")),
            "\"[redacted:private-key:2]\""
        );
        let cut = block.split("-----END").next().unwrap();
        assert_eq!(redacted(cut), "[redacted:private-key:2]");
    }
    let with_headers = format!(
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n{body}-----END RSA PRIVATE KEY-----"
    );
    assert_eq!(redacted(&with_headers), "[redacted:private-key:2]");
}

#[test]
fn source_code_that_speaks_of_secrets_stays() {
    for text in [
        "password: String,",
        "password: string;",
        "password: Option<String>,",
        "password=None",
        "password = None  # later",
        "token = get_token()",
        "token = get_token2(a1)",
        "let token = self.token2;",
        "token = tokens.next_token1",
        "password: Sha256Password",
        "password = os.environ[\"DB_PASSWORD_1\"]",
        "password = os.environ.get('DB_PASSWORD_1')",
        "password = config.db2.password",
        "secret = new Uint8Array(32)",
        "if password == \"hunter22\" {",
        "password: \"your-password-1\"",
        "password: \"changeme123\"",
        "password: \"${DB_PASSWORD_1}\"",
        "password: \"{{ vault.pw1 }}\"",
        "password=$DB_PASSWORD1",
        "password=<password-1>",
        "password = \"********\"",
        "token: \"test-token-123\"",
        "tokens = [\"a1b2c3d4e5\"]",
        "max_tokens: 4096000000",
        "token_count = 12345678",
        "secret: my-app-2024-v2",
        "secretName: \"registry-v1-2\"",
        "secret: /run/secrets/db1/v2x3",
        "secret_key_path = \"/etc/keys/a1b2\"",
        "password_hash = \"a1b2c3d4e5f6\"",
        "fn password(password1: &str)",
        "Authorization: Bearer <token>",
        "Authorization: Bearer ${token1234}",
        "Authorization: Bearer your-token-123",
        "`Authorization: Bearer YOUR_API_KEY`",
        "format!(\"Authorization: Bearer {token}\")",
        "https://user:password@host",
        "https://${USER}:${PASS}@host",
        "postgres://postgres:postgres@localhost/db",
        "http://localhost:8080/@scope",
        "if text.contains(\"-----BEGIN PRIVATE KEY-----\") {",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
        "class=\"sk-loading-spinner-container-large\"",
        "AKIAIOSFODNN7EXAMPLE",
        "sk-xxxxxxxxxxxxxxxxxxxxxxxx1",
        "task-1234567890abcdefghijklmnop",
        "\"integrity\": \"sha512-a1b2c3d4e5\"",
        "commit 8c181f3a1b2c3d4e5f60718293a4b5c6d7e8f901",
        "onSubmit={({ password }) => login(password)}",
        "INSERT INTO users (password) VALUES (?)",
        "--token=\"$TOKEN\"",
        "primary_key: \"user_id_1\"",
        "key: \"ctrl+shift+1\"",
    ] {
        assert_eq!(redacted(text), text);
    }
}
