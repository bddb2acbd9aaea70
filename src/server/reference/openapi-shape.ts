/** The parts of OpenAPI 3.1 that our document has. */
export interface OpenapiParameter {
  readonly name: string;
  readonly in: 'header' | 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface OpenapiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** The least role that may. */
  readonly 'x-role': string;
  readonly parameters?: readonly OpenapiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: OpenapiContent };
  readonly responses: Readonly<Record<string, OpenapiResponse>>;
}

export type OpenapiContent = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export interface OpenapiResponse {
  readonly description: string;
  readonly content: OpenapiContent;
}

export interface OpenapiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export type JsonSchema = Readonly<Record<string, unknown>>;
