import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import type { Request } from '@tidings/contract';
import { inputOf } from './authorize-call.ts';
import { hasBody } from './families.ts';
import { LargeBodies } from './large-bodies.ts';
import { objectIn } from './parameters.ts';
import { namedMethodOf, type ServedRequest } from './served-request.ts';

@Injectable()
export class InputPipe implements PipeTransform<ServedRequest> {
  transform(request: ServedRequest): unknown {
    return inputOf(namedMethodOf(request).method, request.authorized);
  }
}

@Injectable()
export class OperatorInputPipe implements PipeTransform<ServedRequest> {
  readonly #bodies: LargeBodies;

  constructor(@Inject(LargeBodies) bodies: LargeBodies) {
    this.#bodies = bodies;
  }

  async transform(request: ServedRequest): Promise<unknown> {
    const { method } = namedMethodOf(request);
    const { raw, pending, query, params } = request;
    const { maxBodyBytes: limit, deadlineMs } = method;
    const bytes = hasBody(method) ? await this.#bodies.read(raw, { limit, deadlineMs, pending }) : undefined;
    const given = bytes === undefined ? (query as Request) : bytes.length === 0 ? {} : await objectIn(bytes);
    const parameters = { ...given, ...(params as Request) };
    const missing = method.missing(parameters);
    if (missing) throw missing;
    return method.parse(parameters);
  }
}
