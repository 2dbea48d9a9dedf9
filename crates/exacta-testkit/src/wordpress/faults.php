<?php
// Makes requests of the tool go wrong, as the file `faults.json` beside WordPress says:
// {"fault": "500", "when": "before" or "after", "nth": 2, "user": "editor", "kind": "write" or "read"}, or a list of those.
// The n-th write to a page by that user is met, counted for each of them; then nothing more.

function exacta_faults_meets( $request, $when ) {
	$file   = ABSPATH . 'faults.json';
	$faults = is_file( $file ) ? json_decode( file_get_contents( $file ), true ) : null;
	$write  = 'GET' !== $request->get_method();
	if ( ! $faults || 0 !== strpos( $request->get_route(), '/wp/v2/pages' ) ) {
		return null;
	}
	$meets = null;
	foreach ( isset( $faults['fault'] ) ? array( $faults ) : $faults as $number => $fault ) {
		$kind = $fault['kind'] ?? 'write';
		if ( $when !== $fault['when'] || ( 'write' === $kind ) !== $write || wp_get_current_user()->user_login !== $fault['user'] ) {
			continue;
		}
		$count = fopen( ABSPATH . "faults.count.$number", 'c+' );
		flock( $count, LOCK_EX );
		$now = 1 + (int) stream_get_contents( $count );
		ftruncate( $count, 0 );
		rewind( $count );
		fwrite( $count, (string) $now );
		fflush( $count );
		flock( $count, LOCK_UN );
		$meets = $now === $fault['nth'] ? $fault : $meets;
	}
	return $meets;
}

function exacta_faults_answer( $status, $type, $body, $headers = array() ) {
	while ( ob_get_level() ) {
		ob_end_clean();
	}
	header_remove();
	status_header( $status );
	header( 'Content-Type: ' . $type );
	foreach ( $headers as $name => $value ) {
		header( "$name: $value" );
	}
	echo $body;
	exit;
}

function exacta_faults_happen( $fault, $request ) {
	switch ( $fault['fault'] ) {
		case '500':
			exacta_faults_answer( 500, 'application/json', '{"code":"internal_server_error","message":"went wrong","data":{"status":500}}' );
		case 'fatal':
			exacta_no_such_function();
		case '429':
			exacta_faults_answer( 429, 'application/json', '{"code":"slow_down","message":"too many","data":{"status":429}}', array( 'Retry-After' => '1' ) );
		case '503':
			exacta_faults_answer( 503, 'text/html', '<h1>Briefly unavailable for scheduled maintenance.</h1>', array( 'Retry-After' => '1' ) );
		case 'html':
			exacta_faults_answer( 200, 'text/html', '<!doctype html><title>Welcome</title>' );
		case 'cut':
			exacta_faults_answer( 200, 'application/json', '{"id":', array( 'Content-Length' => '4096' ) );
		case 'kill':
			exec( 'kill -9 ' . getmypid() );
		case 'slow':
			// Nobody may be there any more to hear the answer.
			ignore_user_abort( true );
			touch( ABSPATH . 'faults.at-it' );
			sleep( $fault['seconds'] ?? 4 );
			$GLOBALS['exacta_slow'] = true;
			return;
		case 'person':
			$id = (int) ( $request['id'] ?? 0 );
			if ( ! $id && $request['slug'] ) {
				$found = get_posts( array( 'post_type' => 'page', 'post_status' => 'any', 'name' => $request['slug'] ) );
				$id    = $found ? $found[0]->ID : 0;
			}
			if ( $id ) {
				$was = wp_get_current_user()->ID;
				wp_set_current_user( get_user_by( 'login', 'person' )->ID );
				wp_update_post( wp_slash( array( 'ID' => $id, 'post_content' => "a person's words" ) ) );
				file_put_contents( ABSPATH . 'faults.edited', "$id\n", FILE_APPEND );
				wp_set_current_user( $was );
			}
			return;
	}
}

add_filter(
	'rest_request_before_callbacks',
	function ( $response, $handler, $request ) {
		$fault = is_wp_error( $response ) ? null : exacta_faults_meets( $request, 'before' );
		if ( $fault ) {
			exacta_faults_happen( $fault, $request );
		}
		return $response;
	},
	10,
	3
);
add_filter(
	'rest_request_after_callbacks',
	function ( $response, $handler, $request ) {
		$fault = exacta_faults_meets( $request, 'after' );
		if ( $fault ) {
			exacta_faults_happen( $fault, $request );
		}
		if ( isset( $GLOBALS['exacta_slow'] ) ) {
			unlink( ABSPATH . 'faults.at-it' );
		}
		return $response;
	},
	10,
	3
);

// Hosts and plugins that change what is saved.
if ( getenv( 'EXACTA_REWRITES' ) ) {
	add_filter( 'content_save_pre', function ( $content ) { return str_replace( 'colour', 'color', $content ); } );
}
// What later versions do with the attributes of blocks, for everybody.
if ( getenv( 'EXACTA_BLOCKS' ) ) {
	add_filter( 'wp_insert_post_data', function ( $data ) {
		if ( has_blocks( wp_unslash( $data['post_content'] ) ) ) {
			$data['post_content'] = wp_slash( serialize_blocks( parse_blocks( wp_unslash( $data['post_content'] ) ) ) );
		}
		return $data;
	} );
}
if ( getenv( 'EXACTA_STRIP' ) ) {
	unset( $_SERVER['HTTP_AUTHORIZATION'], $_SERVER['PHP_AUTH_USER'], $_SERVER['PHP_AUTH_PW'] );
}
add_action( 'init', function () { register_post_meta( 'page', 'exacta_note', array( 'single' => true, 'type' => 'string', 'show_in_rest' => true, 'auth_callback' => '__return_true' ) ); } );
