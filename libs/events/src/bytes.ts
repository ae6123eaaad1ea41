import { BinaryWriter } from '@bufbuild/protobuf/wire';

/** A writer per message would allocate its buffer per message, which is most of what a small message costs. */
let writer = new BinaryWriter();

/** A small message in protobuf, like `type.encode(message).finish()`: for where there is one per device. */
export function bytesOf<T>(
  type: { encode(message: T, writer: BinaryWriter): BinaryWriter },
  message: T,
): Uint8Array<ArrayBuffer> {
  try {
    return type.encode(message, writer).finish();
  } catch (error) {
    // It stands in the middle of a message.
    writer = new BinaryWriter();
    throw error;
  }
}
