/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Returns the size in the header of a PNG, JPEG, GIF, WebP or BMP image; undefined for any other content. */
export function imageSize(image: Uint8Array): ImageSize | undefined {
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
  try {
    switch (view.getUint16(0)) {
      case 0x8950:
        return { width: view.getUint32(16), height: view.getUint32(20) };
      case 0xffd8:
        return jpegSize(view);
      case 0x4749:
        return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
      case 0x5249:
        return webpSize(view);
      case 0x424d:
        // A negative height means that rows run from top to bottom.
        return { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) };
      default:
        return undefined;
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined; // The file is truncated.
    throw error;
  }
}

/** Walks from segment to segment up to the frame header. */
function jpegSize(view: DataView): ImageSize | undefined {
  let position = 2;
  while (view.getUint8(position) === 0xff) {
    const marker = view.getUint8(position + 1);
    const standsAlone = marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    // C4, C8 and CC are not frame headers.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(position + 7), height: view.getUint16(position + 5) };
    if (marker === 0xff) position += 1;
    else position += standsAlone ? 2 : 2 + view.getUint16(position + 2);
  }
  return undefined;
}

function webpSize(view: DataView): ImageSize | undefined {
  switch (view.getUint32(12)) {
    case 0x56503820: // "VP8 "
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 0x5650384c: {
      // "VP8L" stores width and height minus one, with 14 bits each.
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 0x56503858:
      // "VP8X" stores width and height minus one, with 24 bits each.
      return {
        width: (view.getUint32(24, true) & 0xffffff) + 1,
        height: (view.getUint32(27, true) & 0xffffff) + 1,
      };
    default:
      return undefined;
  }
}
