import { Inject, Injectable } from '@nestjs/common';
import { Fault } from '@tidings/kernel';
import type { Context } from '../context.ts';
import { apiV2Envelope } from '../envelopes/api-v2.ts';
import { archiveBytes } from '../exports/archive-bytes.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { queryOf, type Route } from './route.ts';

/** The service's own links: short links (R-I19), icons of applications (R-B1) and archives of exports (R-N7). */
@Injectable()
export class LinksRoutes {
  readonly #context: Context;

  constructor(@Inject(CONTEXT) context: Context) {
    this.#context = context;
  }

  routes(): Route[] {
    return [this.#shortLink(), this.#icon(), this.#archive()];
  }

  #archive(): Route {
    return {
      verb: 'GET',
      path: '/exports/{archive}',
      envelope: apiV2Envelope,
      serve: async ({ url = '' }, { archive = '' }) => {
        const { jobs, exportLinks } = this.#context;
        const { exp = '', sig = '' } = queryOf(url);
        const proof = { exp, sig };
        const { archives } = exportLinks.mayHold(proof) ? await jobs.findArchives({ archive }) : { archives: [] };
        const meant = archives.find(({ job }) => exportLinks.isProofOf({ archive, job }, proof));
        // A missing or removed archive cannot have a valid signature.
        if (!meant) throw Fault.forbidden('The link has expired or is not valid');
        return {
          status: 200,
          body: '',
          stream: { type: 'application/zip', length: Number(meant.size), bytes: archiveBytes(jobs, meant.job) },
          headers: { 'content-disposition': `attachment; filename="${archive}"`, 'cache-control': 'private, no-store' },
        };
      },
    };
  }

  #icon(): Route {
    return {
      verb: 'GET',
      path: '/icons/{file}',
      envelope: apiV2Envelope,
      serve: async (_request, { file = '' }) => {
        const { png } = await this.#context.applications.getIcon({ icon: file.replace(/\.png$/, '') });
        if (png.length === 0) throw Fault.notFound('Not Found');
        // The name is a hash of the content, which therefore never changes.
        const headers = { 'cache-control': 'public, max-age=31536000, immutable' };
        return { status: 200, body: '', file: { type: 'image/png', bytes: png }, headers };
      },
    };
  }

  #shortLink(): Route {
    return {
      verb: 'GET',
      path: '/s/{code}',
      envelope: apiV2Envelope,
      serve: async (_request, { code = '' }) => {
        const { url } = await this.#context.messages.followLink({ code });
        // A parsed URL is ASCII, which headers require.
        const location = URL.parse(url)?.href;
        if (location === undefined) throw Fault.notFound('Not Found');
        return { status: 302, body: '', headers: { location } };
      },
    };
  }
}
