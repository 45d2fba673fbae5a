//! A way to a server that ends when a change is to be confirmed.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Passes one connection on, up to and with `COMMIT`; the answer to that is awaited and dropped.
pub(crate) async fn cut_after_commit(port: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let own_port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let (mut asked, mut said) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
        loop {
            tokio::select! {
                count = client.read(&mut asked) => {
                    let part = &asked[..count.unwrap()];
                    server.write_all(part).await.unwrap();
                    if part.windows(6).any(|window| window == b"COMMIT") {
                        server.read_exact(&mut said[..1]).await.unwrap();
                        return;
                    }
                }
                count = server.read(&mut said) => client.write_all(&said[..count.unwrap()]).await.unwrap(),
            }
        }
    });
    own_port
}
