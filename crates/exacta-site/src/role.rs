//! The least that a user of a site needs, to paste.

/// The capabilities of the role, and what each is for.
pub(crate) const CAPABILITIES: &[(&str, &str)] = &[
    ("read", "log in"),
    ("edit_pages", "make drafts and change them"),
    ("edit_others_pages", "change pages that somebody else made"),
    ("edit_published_pages", "change pages that are published"),
    ("edit_private_pages", "see private pages"),
    ("read_private_pages", "see private pages"),
    ("delete_pages", "put drafts that it made into the trash again"),
];

/// Code that makes a role for this program, for a site's `functions.php` or `wp eval`. It can neither publish, nor trash what
/// others made, nor write scripts; each of those is one more line.
#[must_use]
pub fn role() -> String {
    let mut text = String::from("add_role( 'exacta', 'Exacta', array(\n");
    for (name, what) in CAPABILITIES {
        text.push_str(&format!("    '{name}' => true, // {what}\n"));
    }
    text.push_str("    // 'publish_pages' => true, // content.publish_page\n");
    text.push_str("    // 'delete_others_pages' => true, 'delete_published_pages' => true, // content.trash_page\n");
    text.push_str(") );\n");
    text
}
