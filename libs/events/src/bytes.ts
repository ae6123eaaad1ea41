import { BinaryWriter } from '@bufbuild/protobuf/wire';

/** The library's accessor copies the bytes, which costs more than a small message. */
interface Written {
  readonly buffer: Uint8Array;
  pos: number;
}

/** Shared: a writer per message would allocate its buffer per message. */
let writer = new BinaryWriter();

/** Bytes of a shared pool: for small messages, one per device. */
export function written(write: (writer: BinaryWriter) => BinaryWriter): Buffer<ArrayBuffer> {
  try {
    const { buffer, pos } = write(writer) as unknown as Written;
    const bytes = Buffer.allocUnsafe(pos);
    bytes.set(buffer.subarray(0, pos));
    (writer as unknown as Written).pos = 0;
    return bytes;
  } catch (error) {
    // The writer is in the middle of a message.
    writer = new BinaryWriter();
    throw error;
  }
}

export const bytesOf = <T>(
  type: { encode(message: T, writer: BinaryWriter): BinaryWriter },
  message: T,
): Buffer<ArrayBuffer> => written((into) => type.encode(message, into));
