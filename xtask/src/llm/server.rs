//! The server of the model.

use super::install::Installed;
use anyhow::{Context as _, Result, bail};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What the model is called there.
pub(super) const NAME: &str = "smollm2";

/// How long it may take to load the model.
const PATIENCE: Duration = Duration::from_secs(180);

/// A server that ends with this value.
pub(super) struct Server {
    pub(super) port: u16,
    child: Child,
}

impl Server {
    /// Starts it on a free port and waits until it answers.
    pub(super) fn start(installed: &Installed, folder: &Path) -> Result<Self> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            .local_addr()?
            .port();
        let log = folder.join("server.log");
        let out = File::create(&log)?;
        let child = Command::new(&installed.python)
            .args(["-m", "llama_cpp.server", "--host", "127.0.0.1"])
            .args(["--port", &port.to_string(), "--model_alias", NAME])
            .args([
                "--chat_format",
                "chatml-function-calling",
                "--n_ctx",
                "4096",
            ])
            .arg("--model")
            .arg(&installed.model)
            // Threads that spin while they wait take the machine from whoever has work.
            .env("OMP_WAIT_POLICY", "passive")
            .stdin(Stdio::null())
            .stderr(out.try_clone()?)
            .stdout(out)
            .spawn()
            .context("the server of the model could not be started")?;
        let mut server = Self { port, child };
        server
            .wait()
            .with_context(|| format!("its words are in {}", log.display()))?;
        Ok(server)
    }

    fn wait(&mut self) -> Result<()> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait()? {
                bail!("the server of the model ended by itself ({status})");
            }
            if self.answers() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        bail!("the server of the model does not answer after {PATIENCE:?}")
    }

    fn answers(&self) -> bool {
        let ask = || -> std::io::Result<bool> {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
            stream.set_read_timeout(Some(Duration::from_secs(5)))?;
            stream.write_all(b"GET /v1/models HTTP/1.0\r\nhost: localhost\r\n\r\n")?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer.contains(" 200 ") && answer.contains(NAME))
        };
        ask().unwrap_or(false)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Gone already is as good.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
