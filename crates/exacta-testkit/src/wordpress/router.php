<?php
// What a web server's rewriting does: a file if there is one, else WordPress.
$exacta_path = parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH );
if ( '/' !== $exacta_path && is_file( __DIR__ . $exacta_path ) ) {
	return false;
}
$_SERVER['SCRIPT_NAME'] = '/index.php';
require __DIR__ . '/index.php';
