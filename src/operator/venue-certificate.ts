/**
 * The certificate of a venue that runs: read whole at the start, and again when its files have changed (SIGHUP).
 *
 * Holds   what the venue shows is always a certificate with its own key. New files that are wrong change nothing, and one
 *         line of the log says why
 */
import type { Logger } from 'pino'
import { Tls } from '../http/http.ts'
import { type CertificateFiles, type CertificateRead, readCertificate } from './config/certificate.ts'
import { optionOf } from './config/settings.ts'
import { CannotStart } from './data-directory.ts'

export class VenueCertificate {
  readonly tls: Tls
  readonly #files: CertificateFiles
  readonly #log: Logger
  #inForce: CertificateRead

  private constructor(inForce: CertificateRead, files: CertificateFiles, log: Logger) {
    this.tls = new Tls(inForce)
    this.#files = files
    this.#log = log
    this.#inForce = inForce
    this.#tell('the venue has a certificate')
  }

  /** Undefined: the venue was told of none. */
  static open(files: CertificateFiles, log: Logger): VenueCertificate | undefined {
    if (files.tlsCert === '' && files.tlsKey === '') return undefined
    const read = readCertificate(files)
    if ('faults' in read) throw new CannotStart(`the venue cannot start: ${faultsText(read.faults, files)}`)
    return new VenueCertificate(read, files, log)
  }

  /** PEM, as clients are shown it. */
  get text(): string {
    return this.#inForce.cert
  }

  get expiresAt(): Date {
    return this.#inForce.expiresAt
  }

  /** Reads the files again; `publish` tells this machine what came of it. */
  renew(publish: () => void): void {
    const read = readCertificate(this.#files)
    if ('faults' in read) {
      const why = faultsText(read.faults, this.#files)
      this.#log.error({ why }, 'the new certificate is wrong, the old one stays')
      return
    }
    this.tls.renew(read)
    this.#inForce = read
    this.#tell('the venue has a new certificate')
    try {
      publish()
    } catch (error) {
      this.#log.error({ err: error }, 'the command line does not learn of the new certificate before a restart')
    }
  }

  #tell(what: string): void {
    const { expiresAt, warnings } = this.#inForce
    this.#log.info({ certificate: this.#files.tlsCert, expiresAt: expiresAt.toISOString() }, what)
    for (const warning of warnings) this.#log.warn(warning)
  }
}

function faultsText(
  faults: readonly { readonly of: keyof CertificateFiles; readonly rule: string }[],
  files: CertificateFiles,
): string {
  return faults.map(({ of, rule }) => `${optionOf(of)} ${JSON.stringify(files[of])}: ${rule}`).join('; ')
}
