<h1>
    <a>x</a>
</h1>
<p>
    y
</p>
