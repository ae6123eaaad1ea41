import { describe, expect, it } from '@jest/globals';
import { exportLinks, linkKeysFrom, type Proof } from './links.ts';

const time = { ms: Date.UTC(2026, 0, 15) };
const clock = { now: () => time.ms };
const linksOf = (current: number, ...others: number[]) =>
  exportLinks({
    keys: linkKeysFrom([new Uint8Array(32).fill(current), ...others.map((each) => new Uint8Array(32).fill(each))]),
    clock,
    publicUrl: 'https://push.example',
  });
const links = linksOf(1);
const signed = { archive: 'export_segment_ALL_1.csv.zip', job: 'job-1' };
const proofOf = (link: string): Proof => {
  const { searchParams } = new URL(link);
  return { exp: searchParams.get('exp')!, sig: searchParams.get('sig')! };
};

describe('a link to an archive', () => {
  const link = links.linkTo(signed);
  const proof = proofOf(link);

  it('names the archive and is valid for 24 hours', () => {
    expect(link).toMatch(/^https:\/\/push\.example\/exports\/export_segment_ALL_1\.csv\.zip\?exp=\d+&sig=[\da-f]{64}$/);
    expect(links.mayHold(proof) && links.isProofOf(signed, proof)).toBe(true);
    time.ms += 86_400_000 - 1000;
    expect(links.mayHold(proof)).toBe(true);
    time.ms += 1000;
    expect(links.mayHold(proof)).toBe(false);
    time.ms -= 86_400_000;
  });

  it('proves one export only, and no changed field', () => {
    expect(links.isProofOf({ ...signed, job: 'job-2' }, proof)).toBe(false);
    expect(links.isProofOf({ ...signed, archive: 'export_segment_ALL_2.csv.zip' }, proof)).toBe(false);
    expect(links.isProofOf(signed, { ...proof, exp: String(Number(proof.exp) + 1) })).toBe(false);
    expect(linksOf(2).isProofOf(signed, proof)).toBe(false);
    for (const wrong of [
      { sig: '' },
      { sig: `${proof.sig}0` },
      { sig: proof.sig.toUpperCase() },
      { exp: '1e12' },
      { exp: '' },
    ]) {
      expect(links.mayHold({ ...proof, ...wrong })).toBe(false);
    }
  });

  it('is valid under the previous master key, too', () => {
    expect(linksOf(2, 1).isProofOf(signed, proof)).toBe(true);
    expect(links.isProofOf(signed, proofOf(linksOf(2, 1).linkTo(signed)))).toBe(false);
  });

  it('does not reveal its export', () => expect(link).not.toContain(signed.job));
});
