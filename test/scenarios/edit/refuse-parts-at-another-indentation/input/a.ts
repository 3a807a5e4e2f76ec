.cube {
  overflow: visible;
    pointer-events: none;
    z-index: 1;
  }
  .inner {
    .slide 
      pointer-events: none;
  }
}
