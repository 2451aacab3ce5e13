extension Picture {
    /// The screen that a picture is drawn for.
    public enum Theme: String, CaseIterable, Sendable {
        case light, dark
    }

    /// What a colour is for.
    public enum Color: String, CaseIterable, Sendable {
        case ground, ink, quiet, grid, target, dot, first, second, third, good, fair, poor
    }
}

extension Picture.Color {
    /// Red, green and blue, eight bits each: `0xRRGGBB`.
    public func rgb(_ theme: Picture.Theme) -> UInt32 { theme == .light ? light : dark }

    private var light: UInt32 {
        switch self {
        case .ground: 0xFF_FFFF
        case .ink: 0x1F_2328
        case .quiet: 0x59_636E
        case .grid: 0xE4_E8EC
        case .target: 0xB3_5900
        case .dot: 0x8C_959F
        case .first: 0x09_69DA
        case .second: 0xD4_A72C
        case .third: 0xA0_3A86
        case .good: 0x1A_7F37
        case .fair: 0x9A_6700
        case .poor: 0xCF_222E
        }
    }

    private var dark: UInt32 {
        switch self {
        case .ground: 0x0D_1117
        case .ink: 0xE6_EDF3
        case .quiet: 0x91_98A1
        case .grid: 0x26_2C36
        case .target: 0xF0_883E
        case .dot: 0x6E_7681
        case .first: 0x58_A6FF
        case .second: 0xE3_B341
        case .third: 0xE0_85C6
        case .good: 0x3F_B950
        case .fair: 0xD2_9922
        case .poor: 0xFF_7B72
        }
    }
}
