<h1>
    <b>
        <a>x</a>
    </b>
</h1>
<p>
    y
</p>
