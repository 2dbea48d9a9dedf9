<?php
// A WordPress of the tests: everything it keeps lies beside it, in one SQLite file.
define( 'DB_NAME', 'wordpress' );
define( 'DB_USER', '' );
define( 'DB_PASSWORD', '' );
define( 'DB_HOST', '' );
define( 'DB_CHARSET', 'utf8' );
define( 'DB_COLLATE', '' );
foreach ( array( 'AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE' ) as $exacta_name ) {
	define( $exacta_name . '_KEY', 'of the tests' );
	define( $exacta_name . '_SALT', 'of the tests' );
}
$table_prefix = 'wp_';
define( 'WP_ENVIRONMENT_TYPE', 'local' );
define( 'WP_DEBUG', false );
define( 'DISABLE_WP_CRON', true );
define( 'AUTOMATIC_UPDATER_DISABLED', true );
define( 'WP_HTTP_BLOCK_EXTERNAL', true );
if ( getenv( 'EXACTA_NO_REVISIONS' ) ) {
	define( 'WP_POST_REVISIONS', false );
}
if ( getenv( 'EXACTA_URL' ) ) {
	define( 'WP_HOME', getenv( 'EXACTA_URL' ) );
	define( 'WP_SITEURL', getenv( 'EXACTA_URL' ) );
}
if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';
