<?php
// Router of PHP's own server: /wiki/Title and /w/api.php as on Wikipedia. Each request is written to
// requests.log; while faults.json holds answers, the next requests get those instead of the wiki's, but for one
// whose status is 0: that is the wiki's own. While there is a file no-rest, it has no REST endpoint.
$folder = dirname( getenv( 'MW_CONFIG_FILE' ) );
$line = [
	'method' => $_SERVER['REQUEST_METHOD'],
	'path' => parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH ),
	'params' => $_GET + $_POST,
	'agent' => $_SERVER['HTTP_USER_AGENT'] ?? '',
	'encoding' => $_SERVER['HTTP_ACCEPT_ENCODING'] ?? '',
];
file_put_contents( "$folder/requests.log", json_encode( $line ) . "\n", FILE_APPEND | LOCK_EX );

$faults = is_file( "$folder/faults.json" ) ? json_decode( file_get_contents( "$folder/faults.json" ), true ) : [];
if ( $faults ) {
	$fault = array_shift( $faults );
	file_put_contents( "$folder/faults.json", json_encode( $faults ) );
	if ( $fault['status'] ) {
		http_response_code( $fault['status'] );
		foreach ( $fault['headers'] as $name => $value ) {
			header( "$name: $value" );
		}
		echo '<html><title>Error</title></html>';
		return true;
	}
}

if ( is_file( "$folder/no-rest" ) && strpos( $line['path'], '/rest.php/' ) !== false ) {
	http_response_code( 404 );
	echo '<html><title>Not Found</title></html>';
	return true;
}

$root = '/usr/share/mediawiki';
$path = preg_replace( '#^/w(?=/)#', '', parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH ) );
$script = preg_match( '#^/(api|load|rest)\.php(?=/|$)#', $path, $found ) ? $found[0] : '/index.php';
$_SERVER['SCRIPT_FILENAME'] = $root . $script;
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = "/w$script";
chdir( $root );
require $root . $script;
