cost = '$&\t$`$''
