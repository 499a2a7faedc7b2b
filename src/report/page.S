/* The report page, whole, in the binary: building and running need no Node (web/README.md). */
    .section .rodata
    .global kReportPage
    .global kReportPageEnd
    .balign 16
kReportPage:
    .incbin STEELYARD_REPORT_PAGE
kReportPageEnd:
    .byte 0
    .section .note.GNU-stack,"",@progbits
