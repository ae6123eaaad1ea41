import { BinaryWriter } from '@bufbuild/protobuf/wire';

/** What a writer has written so far. The library's own way to it copies it into an ArrayBuffer, which costs more than a small message. */
interface Written {
  readonly buffer: Uint8Array;
  pos: number;
}

/** A writer per message would allocate its buffer per message. */
let writer = new BinaryWriter();

/** What `write` writes, as bytes of a shared pool: for small messages of which there is one per device. */
export function written(write: (writer: BinaryWriter) => BinaryWriter): Buffer<ArrayBuffer> {
  try {
    const { buffer, pos } = write(writer) as unknown as Written;
    const bytes = Buffer.allocUnsafe(pos);
    bytes.set(buffer.subarray(0, pos));
    (writer as unknown as Written).pos = 0;
    return bytes;
  } catch (error) {
    // It stands in the middle of a message.
    writer = new BinaryWriter();
    throw error;
  }
}

/** A small message in protobuf, like `type.encode(message).finish()`. */
export const bytesOf = <T>(
  type: { encode(message: T, writer: BinaryWriter): BinaryWriter },
  message: T,
): Buffer<ArrayBuffer> => written((into) => type.encode(message, into));
