import { BinaryWriter } from '@bufbuild/protobuf/wire';

/** A writer per message would allocate its buffer per message, which is most of what a small message costs. */
let writer = new BinaryWriter();

/** What `write` writes, as bytes: for small messages of which there is one per device. */
export function written(write: (writer: BinaryWriter) => BinaryWriter): Uint8Array<ArrayBuffer> {
  try {
    return write(writer).finish();
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
): Uint8Array<ArrayBuffer> => written((into) => type.encode(message, into));
