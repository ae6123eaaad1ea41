import forge from 'node-forge';

const { asn1 } = forge;

export type Node = forge.asn1.Asn1;

const fromDer: (bytes: string, options: never) => Node = asn1.fromDer;

/** @throws Error for a structure that is incomplete, or nested deeper than 256 */
export const parsedBer = (bytes: Buffer): Node =>
  fromDer(bytes.toString('latin1'), { parseAllBytes: false, decodeBitStrings: false } as never);

export const derOf = (node: Node): Buffer => Buffer.from(asn1.toDer(node).getBytes(), 'latin1');

export const childrenOf = (node: Node | undefined): Node[] => (Array.isArray(node?.value) ? node.value : []);

export function bytesOf(node: Node | undefined): Buffer {
  if (node === undefined) throw new TypeError('a value is missing');
  return typeof node.value === 'string' ? Buffer.from(node.value, 'latin1') : Buffer.concat(node.value.map(bytesOf));
}

export const oidOf = (node: Node | undefined): string =>
  node?.type === asn1.Type.OID && typeof node.value === 'string' ? asn1.derToOid(node.value) : '';

export const isInteger = (node: Node | undefined): node is Node => node?.type === asn1.Type.INTEGER;
export const isOctets = (node: Node | undefined): node is Node => node?.type === asn1.Type.OCTETSTRING;

export const numberOf = (node: Node | undefined): number => Number.parseInt(bytesOf(node).toString('hex') || '0', 16);
