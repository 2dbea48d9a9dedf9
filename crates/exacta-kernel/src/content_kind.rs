//! What a file is that is no text, by its first bytes and its name: in words for people, and whether a machine runs it.

use crate::facts::FileContent;
use crate::path::RelPath;
use crate::text;

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentKind {
    /// Such as `PNG image`.
    pub name: &'static str,
    /// Whether a machine runs, loads or installs it, so that what it does cannot be read.
    pub program: bool,
}

/// Where the bytes are that tell, those bytes, and what they tell; the first row that fits counts.
type Row = (usize, &'static [u8], &'static str);

/// What a machine runs, loads or links.
const PROGRAMS: &[Row] = &[
    (0, b"\x7fELF", "ELF program or library"),
    (0, b"MZ", "Windows program or library"),
    (0, b"\xfe\xed\xfa\xce", "macOS program or library"),
    (0, b"\xfe\xed\xfa\xcf", "macOS program or library"),
    (0, b"\xce\xfa\xed\xfe", "macOS program or library"),
    (0, b"\xcf\xfa\xed\xfe", "macOS program or library"),
    (0, b"\xca\xfe\xba\xbe", "Java class or macOS program"),
    (0, b"\0asm", "WebAssembly module"),
    (0, b"dex\n", "Android program"),
    (0, b"!<arch>\n", "library or package"),
    (0, b"\xed\xab\xee\xdb", "RPM package"),
    (0, b"BC\xc0\xde", "LLVM bitcode"),
    (0, b"\x1bLua", "Lua bytecode"),
    (0, b"\x1bLJ", "Lua bytecode"),
    (0, b"#!", "script with bytes that are no text"),
    (2, b"\r\n\0\0", "Python bytecode"),
    (2, b"\r\n\x01\0", "Python bytecode"),
    (2, b"\r\n\x02\0", "Python bytecode"),
    (2, b"\r\n\x03\0", "Python bytecode"),
];

/// What holds data.
const DATA: &[Row] = &[
    (0, b"\x89PNG\r\n\x1a\n", "PNG image"),
    (0, b"\xff\xd8\xff", "JPEG image"),
    (0, b"GIF87a", "GIF image"),
    (0, b"GIF89a", "GIF image"),
    (8, b"WEBP", "WebP image"),
    (8, b"WAVE", "WAV sound"),
    (8, b"AVI ", "AVI video"),
    (4, b"ftypavif", "AVIF image"),
    (4, b"ftypheic", "HEIC image"),
    (4, b"ftyp", "MP4 video or sound"),
    (0, b"\0\0\x01\0", "icon"),
    (0, b"BM", "BMP image"),
    (0, b"II*\0", "TIFF image"),
    (0, b"MM\0*", "TIFF image"),
    (0, b"8BPS", "Photoshop image"),
    (0, b"%PDF-", "PDF document"),
    (0, b"wOFF", "WOFF font"),
    (0, b"wOF2", "WOFF2 font"),
    (0, b"OTTO", "OpenType font"),
    (0, b"\0\x01\0\0", "TrueType font"),
    (0, b"ttcf", "TrueType font"),
    (0, b"OggS", "Ogg sound or video"),
    (0, b"fLaC", "FLAC sound"),
    (0, b"ID3", "MP3 sound"),
    (0, b"\x1aE\xdf\xa3", "Matroska or WebM video"),
    (0, b"PK\x03\x04", "ZIP archive"),
    (0, b"PK\x05\x06", "ZIP archive"),
    (0, b"\x1f\x8b", "gzip data"),
    (0, b"BZh", "bzip2 data"),
    (0, b"\xfd7zXZ\0", "xz data"),
    (0, b"\x28\xb5\x2f\xfd", "zstd data"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (0, b"Rar!\x1a\x07", "RAR archive"),
    (257, b"ustar", "tar archive"),
    (0, b"SQLite format 3\0", "SQLite database"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Microsoft compound document"),
    (0, b"\xff\xfe", "UTF-16 text"),
    (0, b"\xfe\xff", "UTF-16 text"),
];

/// Ends of names of what is run, loaded or installed, whatever it looks like inside.
const ENDS: &[&str] = &[
    "aab", "apk", "appimage", "class", "com", "cpl", "crx", "deb", "dex", "dll", "dmg", "docm", "dylib", "ear", "efi",
    "egg", "elf", "exe", "gem", "ipa", "jar", "ko", "lib", "msi", "node", "nupkg", "o", "a", "pkg", "pptm", "pyc",
    "pyd", "pyo", "rpm", "run", "scr", "so", "sys", "vsix", "war", "wasm", "whl", "xlsm", "xpi",
];

impl ContentKind {
    /// The kind of a file that is no text.
    #[must_use]
    pub fn of(path: &RelPath, content: &FileContent) -> Self {
        let bytes = content.bytes();
        let fits = |(at, magic, _): &&Row| bytes.get(*at..).is_some_and(|rest| rest.starts_with(magic));
        if let Some((.., name)) = PROGRAMS.iter().find(fits) {
            return Self { name, program: true };
        }
        let name = DATA.iter().find(fits).map_or("data", |(.., name)| name);
        Self { name, program: has_end(path) }
    }

    /// The kind of a new file that nobody can read and a machine runs: by its mode, its bytes or its name.
    #[must_use]
    pub fn of_program(path: &RelPath, before: Option<&FileContent>, after: &FileContent) -> Option<Self> {
        let unread = after.is_binary() || (before.is_none() && !text::is_text(after.bytes()));
        let kind = Self::of(path, after);
        (unread && (after.is_executable() || kind.program)).then_some(kind)
    }
}

/// Whether a name ends like a program's; `libx.so.6` does, too.
fn has_end(path: &RelPath) -> bool {
    let name = path.name().to_lowercase();
    name.contains(".so.") || name.rsplit_once('.').is_some_and(|(_, end)| ENDS.contains(&end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(path: &str, bytes: &[u8]) -> ContentKind {
        ContentKind::of(&RelPath::parse(path).unwrap(), &FileContent::new(bytes.to_vec(), 0o644))
    }

    #[test]
    fn told_by_bytes_and_by_name() {
        for (path, bytes, name, program) in [
            ("a.png", &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], "PNG image", false),
            ("a.png", b"\x7fELF\x02\x01\x01\0", "ELF program or library", true),
            ("a", b"#!/bin/sh\n\0", "script with bytes that are no text", true),
            ("lib/a.JAR", b"PK\x03\x04\x14\0", "ZIP archive", true),
            ("a.zip", b"PK\x03\x04\x14\0", "ZIP archive", false),
            ("a.pyc", b"\xcb\r\r\n\0\0\0\0", "Python bytecode", true),
            ("libx.so.6", b"\0", "data", true),
            ("so", b"\0", "data", false),
            ("a.txt", b"\xff\xfeh\0", "UTF-16 text", false),
            ("a.bmp", b"\0", "data", false),
        ] {
            assert_eq!(kind(path, bytes), ContentKind { name, program }, "{path} {bytes:?}");
        }
    }

    #[test]
    fn what_runs_and_cannot_be_read() {
        let path = RelPath::parse("tool").unwrap();
        let of = |bytes: &[u8], mode| {
            ContentKind::of_program(&path, None, &FileContent::new(bytes.to_vec(), mode)).is_some()
        };
        assert!(of(b"\0", 0o755) && of(b"\x7fELF\0", 0o644) && of(b"#!/bin/sh\n\xe9", 0o644) && of(b"\xe9", 0o755));
        assert!(!of(b"\0", 0o644) && !of(b"#!/bin/sh\n", 0o755) && !of(b"\xe9", 0o644));
    }
}
