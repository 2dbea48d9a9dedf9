//! Every limit on what is read.

use std::time::Duration;

/// How long reading a page may take, redirects included.
pub const MAX_TIME: Duration = Duration::from_secs(15);
/// The most bytes of a page, unpacked.
pub const MAX_PAGE: usize = 200 * 1024;
/// The most bytes of an answer before its page.
pub const MAX_HEAD: usize = 64 * 1024;
/// The most headers of an answer.
pub const MAX_HEADERS: usize = 128;
/// The most redirects that are followed.
pub const MAX_REDIRECTS: usize = 3;
/// The longest address.
pub const MAX_URL: usize = 2_048;
/// The longest wait for one of a host's addresses, while there are others.
pub(crate) const MAX_CONNECT: Duration = Duration::from_secs(4);
/// The most addresses of a host.
pub(crate) const MAX_ADDRESSES: usize = 32;
/// The longest validator that is remembered and sent back.
pub(crate) const MAX_VALIDATOR: usize = 512;
/// The longest pause that a site can ask for.
pub(crate) const MAX_PAUSE: Duration = Duration::from_secs(24 * 3600);
