import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

const NOTHING = new Uint8Array(0);

/** The library's reader allocates an array for every skipped field, most of the message here. */
class PartialReader extends BinaryReader {
  override skip(wireType: WireType, fieldNo?: number): Uint8Array {
    if (wireType !== WireType.LengthDelimited) return super.skip(wireType, fieldNo);
    const length = this.uint32();
    this.pos += length;
    if (this.pos > this.len) throw new RangeError('premature end');
    return NOTHING;
  }
}

export const partialDecoder = <T>(type: { decode(input: BinaryReader): T }): { decode(payload: Uint8Array): T } => ({
  decode: (payload) => type.decode(new PartialReader(payload)),
});
