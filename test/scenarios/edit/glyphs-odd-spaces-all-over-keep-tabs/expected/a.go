add( 'a', ( p ) => {
	return a( p );
} );
add( 'b', b );
end();
