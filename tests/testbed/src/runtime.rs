//! The one tokio runtime behind everything that serves: scenarios themselves are plain synchronous functions.

use std::future::Future;
use std::sync::LazyLock;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// The shared runtime; it lives as long as the process.
pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
        Builder::new_multi_thread().worker_threads(4).thread_name("testbed").enable_all().build().unwrap()
    });
    &RUNTIME
}

/// A task that ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Task(JoinHandle<()>);

impl Task {
    pub(crate) fn spawn(future: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(runtime().spawn(future))
    }

    /// Ends the task and returns when all that it held (its sockets above all) is gone.
    pub(crate) async fn end(mut self) {
        self.0.abort();
        // The error says that the task was cancelled, as it should be.
        let _ = (&mut self.0).await;
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}
