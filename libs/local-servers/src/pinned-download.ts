import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createConnection } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { Fault } from '@tidings/kernel';
import { Presets, SingleBar } from 'cli-progress';
import { MongoBinaryDownload } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownload.js';

const CONNECT_TIMEOUT_MS = 3_000;
const MB = 1e6;

/** The build for Ubuntu 24.04 or macOS. */
export class PinnedDownload extends MongoBinaryDownload {
  readonly #sha256: string;
  readonly #bar = new SingleBar(
    { format: 'MongoDB {bar} {percentage}% | {value}/{total} MB', stream: process.stderr, hideCursor: true },
    Presets.shades_classic,
  );

  constructor(version: string, folder: string, sha256: string) {
    super({ version, downloadDir: folder, os: { os: 'linux', dist: 'ubuntu', release: '24.04' } });
    this.#sha256 = sha256;
  }

  override async httpDownload(...[url, options, ...files]: Parameters<MongoBinaryDownload['httpDownload']>) {
    process.stderr.write(
      `Loading MongoDB Community Server ${this.binaryOpts.version} by MongoDB, Inc. from ${url.origin}; its licence is the Server Side Public License v1 (https://www.mongodb.com/legal/licensing/server-side-public-license)\n`,
    );
    if (!options.agent) await checkReachable(url);
    const [archive, draft] = files;
    try {
      return await super.httpDownload(url, { ...options, rejectUnauthorized: true }, archive, draft, 1);
    } finally {
      this.#bar.stop();
    }
  }

  override async makeMD5check(_: string, archive: string): Promise<true> {
    const hash = createHash('sha256');
    await pipeline(createReadStream(archive), hash);
    const actual = hash.digest('hex');
    if (actual === this.#sha256) return true;
    throw Fault.unavailable(`the download has SHA-256 ${actual}, not ${this.#sha256}, and was not run`);
  }

  override printDownloadProgress({ length }: { length: number }): void {
    this.dlProgress.current += length;
    if (!process.stderr.isTTY) return;
    if (!this.#bar.isActive) this.#bar.start(Math.ceil(this.dlProgress.length / MB), 0);
    this.#bar.update(Math.floor(this.dlProgress.current / MB));
  }
}

async function checkReachable({ hostname, port, origin }: URL): Promise<void> {
  const socket = createConnection(Number(port) || 443, hostname);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
  } catch (error) {
    throw Fault.unavailable(`${origin} cannot be reached within ${CONNECT_TIMEOUT_MS / 1000} s`, error);
  } finally {
    socket.destroy();
  }
}
