import type { ArchivePlace, Jobs } from '@tidings/rpc';

export async function* archiveBytes(jobs: Pick<Jobs, 'readArchive'>, job: string): AsyncIterable<Uint8Array> {
  let from: ArchivePlace | undefined;
  do {
    const { bytes, next } = await jobs.readArchive({ job, from });
    yield bytes;
    from = next;
  } while (from);
}
