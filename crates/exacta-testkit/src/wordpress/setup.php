<?php
// Installs WordPress, and prints one line of JSON: the application password of each user.
define( 'WP_INSTALLING', true );
$_SERVER['HTTP_HOST'] = 'localhost';
require __DIR__ . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
add_filter( 'pre_wp_mail', '__return_true' );
wp_install( 'Tests', 'admin', 'admin@example.com', true, '', 'admin-password' );
update_option( 'permalink_structure', '/%postname%/' );
// What `exacta site role` prints, as WordPress keeps it.
add_role( 'exacta', 'Exacta', array_fill_keys( array( 'read', 'edit_pages', 'edit_others_pages', 'edit_published_pages', 'edit_private_pages', 'read_private_pages', 'delete_pages' ), true ) );
$passwords = array();
foreach ( array( 'admin' => 'administrator', 'editor' => 'editor', 'least' => 'exacta', 'person' => 'editor', 'reader' => 'subscriber' ) as $name => $role ) {
	$user = get_user_by( 'login', $name );
	$id   = $user ? $user->ID : wp_insert_user( array( 'user_login' => $name, 'user_pass' => $name . '-password', 'user_email' => $name . '@example.com', 'role' => $role ) );
	list( $password ) = WP_Application_Passwords::create_new_application_password( $id, array( 'name' => 'tests' ) );
	$passwords[ $name ] = $password;
}
echo json_encode( $passwords ), "\n";
