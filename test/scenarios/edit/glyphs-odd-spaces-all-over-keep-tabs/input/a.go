add( 'a', a );
add( 'b', b );
end();
