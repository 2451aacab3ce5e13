/// The options of `serve`, but for those of ``Limits``: each is declared here, and nowhere else.
import MacrologArgumentParsing
import MacrologService
import MacrologWire

enum Serve {
    static let listen = Parameter.option(
        "listen", .endpoint, otherwise: "127.0.0.1:8080",
        "The numeric address and port to listen on; port 0 chooses a free one.")
    static let data = Parameter.option(
        "data", .directory, otherwise: "sync-data",
        "The folder of the database; created if missing.")
    static let certificate = Parameter.option(
        "tls-cert", .file, "The certificate chain, as PEM. Goes with --tls-key.")
    static let key = Parameter.option(
        "tls-key", .file, "The private key, as PEM. Goes with --tls-cert.")
    static let insecure = Parameter.flag(
        "insecure-http", "Listen without TLS on an address that others can reach.")
    static let proxies = Parameter.options(
        "trusted-proxy", .numericAddress,
        "Trust the X-Forwarded-For header of this address; needed behind a proxy.")
    static let level = Parameter.option(
        "log-level",
        .choice([
            ("debug", ServerNote.Level.debug), ("info", .info), ("warning", .warning),
            ("error", .error),
        ]), otherwise: "info", "The lowest level that is written to standard error.")
    static let style = Parameter.option(
        "log", .choice([("json", LogLines.Style.json), ("text", .text)]), otherwise: "json",
        "How log lines are written.")
    static let address = Parameter.option(
        "public-url", .text("URL"),
        "Where others reach this server, for the links of what people share: https://sync.example.org. "
            + "Otherwise the address by which a page was asked for.")
    static let metrics = Parameter.option(
        "metrics", .endpoint,
        "A second address, of this machine only, that answers /metrics for Prometheus and /ready "
            + "with reasons.")
    static let registration = Parameter.option(
        "registration", .choice(Registration.allCases.map { ($0.rawValue, $0) }),
        "Who may create an account: open, anyone; invite, who has an invitation; closed, no one. "
            + "Otherwise invite, and open on an address that only this machine can reach.")
    static let noLimits = Parameter.flag(
        "no-rate-limits",
        "Disable rate limits: for benchmarks, on loopback only.")

    static let command = Command<Void, CommandError>(
        "", "Listen and serve until SIGTERM or SIGINT.",
        example: "--data /var/lib/macrolog --listen 127.0.0.1:8080",
        "--config /etc/macrolog/sync-server.conf --check-config", run: run
    ) {
        Settings.file
        Settings.check
        listen
        data
        StoreOptions.address
        StoreOptions.placeNew
        StoreOptions.passwords
        StoreOptions.pooler
        StoreOptions.files
        certificate
        key
        insecure
        proxies
        address
        metrics
        level
        style
        registration
        Limits.all
        AtRestKey.option
        BlobOptions.place
        BlobOptions.endpoint
        BlobOptions.region
        BlobOptions.credentials
        GatewayOptions.all
        BackupOptions.folder
        BackupOptions.interval
        BackupOptions.keep
        BackupOptions.publicKey
        BackupOptions.hasSecrets
        noLimits
    }

    static let explanation = """
        The first line on standard output is the address, such as \
        "listening on http://127.0.0.1:8080". Standard error gets one line per event of the log, without \
        addresses of people, tokens or what was logged.

        Keep a copy of the file secrets.key apart from the backups of server.db: without it no address \
        finds its account, and with it a stolen backup is worth more.

        SIGTERM and SIGINT end it after the requests in progress. SIGHUP reads the configuration and \
        the certificate again: the log, quotas and proxies change at once, the rest at the next start.
        """
}
