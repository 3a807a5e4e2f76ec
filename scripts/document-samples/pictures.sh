#!/bin/bash
# Pictures with EXIF data for test/samples/documents, and the output of exiftool for them. Needs LibreOffice and exiftool.
set -euo pipefail
out=$1
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
echo '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="48"><rect width="64" height="48" fill="green"/></svg>' >"$work/photo.svg"
for format in jpg png tiff webp; do
  soffice "-env:UserInstallation=file://$work/profile" --headless --convert-to "$format" --outdir "$work" "$work/photo.svg" >/dev/null
  exiftool -q -overwrite_original -Make=Canon -Model="Canon EOS R5" -LensModel="RF50mm F1.2 L USM" \
    -DateTimeOriginal="2024:05:06 07:08:09" -OffsetTimeOriginal="+02:00" -ModifyDate="2024:06:07 10:11:12" \
    -Orientation#=6 -ExposureTime=1/250 -FNumber=2.8 -ISO=400 -FocalLength=50 \
    -GPSLatitude=48.858222 -GPSLatitudeRef=N -GPSLongitude=2.2945 -GPSLongitudeRef=W -GPSAltitude=35.5 \
    -GPSAltitudeRef="Above Sea Level" -ImageDescription="Tour Eiffel, été" -Artist="A. Painter" \
    -Software="GIMP 2.10" -UserComment="So hieß es" -Copyright="© nobody" "$work/photo.$format"
done
exiftool -q -overwrite_original -Comment="beside the picture" "$work/photo.jpg"
exiftool -q -overwrite_original -PNG:Title="Grüner Grund" "$work/photo.png"
for format in jpg png tiff webp; do
  cp "$work/photo.$format" "$out/photo.$format"
  exiftool -json -n -ImageSize -EXIF:all -GPS:GPSLatitude -Composite:GPSLatitude -Composite:GPSLongitude \
    -Composite:GPSAltitude -PNG:Title -File:Comment "$out/photo.$format" | grep -v SourceFile >"$out/photo.$format.exiftool.txt"
done
