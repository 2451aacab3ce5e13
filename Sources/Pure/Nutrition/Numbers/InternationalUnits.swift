/// International units, which measure an effect and not a mass: their size differs from vitamin to
/// vitamin.
package enum InternationalUnits {
    /// Converts international units to nanograms; `nil` for a nutrient without a fixed factor. For
    /// vitamin A the factor depends on the substance (retinol or one of the carotenes), which
    /// labels do not state.
    ///
    /// Vitamin D: 1 µg is 40 IU.
    public static func nanograms(_ units: Int64, of nutrient: Nutrient) -> Int64? {
        nutrient == .vitaminD ? Rounding.scaled(units, by: 25, over: 1) : nil
    }

    /// Converts nanograms to international units, half to even; `nil` for a nutrient without a
    /// fixed factor.
    public static func units(nanograms: Int64, of nutrient: Nutrient) -> Int64? {
        nutrient == .vitaminD ? Rounding.scaled(nanograms, by: 1, over: 25) : nil
    }
}
