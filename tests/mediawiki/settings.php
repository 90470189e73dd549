
// What the tests need beyond a fresh installation: the wiki's extensions, no caches, no fsync.
wfLoadExtension( 'ParserFunctions' );
wfLoadExtension( 'Cite' );
$wgArticlePath = '/wiki/$1';
$wgCacheDirectory = __DIR__ . '/cache';
$wgMainCacheType = CACHE_NONE;
$wgJobRunRate = 0;
$wgRateLimits = [];
$wgServer = getenv( 'MW_ADDRESS' ) ?: $wgServer;
$wgDBservers = [ [
	'type' => 'sqlite', 'host' => '', 'dbname' => $wgDBname, 'user' => '', 'password' => '', 'load' => 1,
	'dbDirectory' => __DIR__ . '/data', 'variables' => [ 'synchronous' => 'OFF' ], 'flags' => 0,
] ];
// Its language, where a file says one.
if ( is_file( __DIR__ . '/language' ) ) {
	$wgLanguageCode = file_get_contents( __DIR__ . '/language' );
}
// Its licence, where a file says one: the name and the address, a line each.
if ( is_file( __DIR__ . '/rights' ) ) {
	[ $wgRightsText, $wgRightsUrl ] = explode( "\n", file_get_contents( __DIR__ . '/rights' ) );
}
// A replica that lags by as many seconds as the file says.
$wgHooks['ApiMaxLagInfo'][] = static function ( array &$lagInfo ) {
	$file = __DIR__ . '/lag';
	if ( is_file( $file ) ) {
		$lagInfo = [ 'host' => 'test', 'lag' => (float)file_get_contents( $file ), 'type' => 'db' ];
	}
};
