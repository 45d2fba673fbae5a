use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// A server of models on loopback, which writes down who asks for what.
pub(crate) struct ModelServer {
    pub(crate) address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl ModelServer {
    /// Starts one that has these models.
    pub(crate) fn having(models: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let rows = models
            .iter()
            .map(|id| json!({ "id": id, "object": "model" }));
        let list = json!({ "object": "list", "data": rows.collect::<Vec<Value>>() });
        let writes = asked.clone();
        // Ends with the process of the test.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (list, writes) = (list.clone(), writes.clone());
                std::thread::spawn(move || serve(stream.unwrap(), &list, &writes));
            }
        });
        Self { address, asked }
    }

    /// Returns what was asked of models, each as `path key`.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// An address at which nobody listens.
pub(crate) fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

fn serve(stream: TcpStream, list: &Value, asked: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut first, mut length, mut key) = (String::new(), 0, "-".to_owned());
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let (name, value) = line.split_once(':').unwrap_or_default();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap(),
                "authorization" => value.trim().clone_into(&mut key),
                _ => {}
            }
            if line.trim().is_empty() {
                break;
            }
        }
        reader.read_exact(&mut vec![0; length]).unwrap();
        let path = first.split(' ').nth(1).unwrap();
        let (kind, body) = match path {
            "/v1/models" => ("application/json", list.to_string()),
            "/v1/chat/completions" => {
                asked.lock().unwrap().push(format!("{path} {key}"));
                let event =
                    r#"{"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}"#;
                (
                    "text/event-stream",
                    format!("data: {event}\n\ndata: [DONE]\n\n"),
                )
            }
            _ => ("text/plain", String::new()),
        };
        let state = if body.is_empty() {
            "404 Not Found"
        } else {
            "200 OK"
        };
        let head = format!("HTTP/1.1 {state}\r\ncontent-type: {kind}\r\ncontent-length: ");
        write!(reader.get_mut(), "{head}{}\r\n\r\n{body}", body.len()).unwrap();
    }
}
