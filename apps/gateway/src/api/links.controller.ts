import { Get, Inject, Param, Query } from '@nestjs/common';
import { ApiController } from '../http/api-controller.ts';
import { Fault } from '@tidings/kernel';
import type { Context } from '../context.ts';
import type { Reply } from '../envelopes/reply.ts';
import { archiveBytes } from '../exports/archive-bytes.ts';
import { CONTEXT } from '../injection-tokens.ts';

interface Proof {
  readonly exp?: string;
  readonly sig?: string;
}

@ApiController()
export class LinksController {
  readonly #context: Context;

  constructor(@Inject(CONTEXT) context: Context) {
    this.#context = context;
  }

  @Get('exports/:archive')
  async archive(@Param('archive') archive: string, @Query() { exp = '', sig = '' }: Proof): Promise<Reply> {
    const { jobs, exportLinks } = this.#context;
    const proof = { exp, sig };
    const { archives } = exportLinks.mayHold(proof) ? await jobs.findArchives({ archive }) : { archives: [] };
    const proven = archives.find(({ job }) => exportLinks.isProofOf({ archive, job }, proof));
    // A missing archive cannot have a valid signature.
    if (!proven) throw Fault.forbidden('The link has expired or is not valid');
    return {
      status: 200,
      body: '',
      stream: { type: 'application/zip', length: Number(proven.size), bytes: archiveBytes(jobs, proven.job) },
      headers: { 'content-disposition': `attachment; filename="${archive}"`, 'cache-control': 'private, no-store' },
    };
  }

  @Get('icons/:file')
  async icon(@Param('file') file: string): Promise<Reply> {
    const { png } = await this.#context.applications.getIcon({ icon: file.replace(/\.png$/, '') });
    if (png.length === 0) throw Fault.notFound('Not Found');
    const headers = { 'cache-control': 'public, max-age=31536000, immutable' };
    return { status: 200, body: '', file: { type: 'image/png', bytes: png }, headers };
  }

  @Get('s/:code')
  async shortLink(@Param('code') code: string): Promise<Reply> {
    const { url } = await this.#context.messages.followLink({ code });
    // A parsed URL is ASCII, as headers require.
    const location = URL.parse(url)?.href;
    if (location === undefined) throw Fault.notFound('Not Found');
    return { status: 302, body: '', headers: { location } };
  }
}
