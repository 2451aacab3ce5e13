import MacrologAnalysis
import MacrologArgumentParsing
import MacrologSystem
import MacrologTerminal

/// The file with the person's provider of models. It stays on this device: an address and a key are nothing
/// to sync.
extension Home {
    /// `$MACROLOG_ANALYSIS`, else `analysis.conf` in `$XDG_CONFIG_HOME/macrolog` or `~/.config/macrolog`.
    static var providerPath: String? {
        if let path = Environment["MACROLOG_ANALYSIS"], !path.isEmpty { return path }
        if let folder = Environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return folder + "/macrolog/analysis.conf"
        }
        guard let home = Environment["HOME"], !home.isEmpty else { return nil }
        return home + "/.config/macrolog/analysis.conf"
    }

    /// The settings of the provider; `nil` if there is no such file.
    static func provider() throws -> ProviderSettings? {
        guard let path = providerPath, Files.exists(path) else { return nil }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try File.open(path, followsLinks: true).read(atMost: 65_536)
        } catch {
            throw CommandError(.noInput, "\(path) cannot be read: \(error)")
        }
        do throws(ProviderSettingsError) {
            return try ProviderSettings(lines: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw CommandError(.config, "\(path): \(error)")
        }
    }

    /// The settings of the provider, or what to write where.
    static func requiredProvider() throws -> ProviderSettings {
        if let settings = try provider() { return settings }
        throw CommandError(
            .config,
            """
            no provider of models is configured: write the lines interface = openai, gemini or anthropic, \
            model = NAME and key-file = FILE into \(providerPath ?? "a file, and set MACROLOG_ANALYSIS to it")
            """)
    }
}
